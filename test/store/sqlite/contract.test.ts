import { storeContract } from '../contract.ts';
import { openTempStore } from './open-store.ts';

storeContract('sqlite', (clock) => openTempStore(clock));

import type { Agent, Dispatcher } from 'undici';

export type SendListener = {
  /**
   * A request is written to a connection. undici starts a request only once it has a connection for it: this is the one moment that
   * parts "never sent" from "maybe billed". May be told more than once.
   */
  onSent(): void;
  /** The status as the server gave it. */
  onStatus(status: number): void;
};

/** `fetch` asks again by itself after this status, by its specification; we ask once. */
const MISDIRECTED = 421;
const REFUSED = 400;

/** The agent, telling what becomes of a request, and keeping `fetch` from sending it twice. */
export function noticingSend(agent: Agent, listener: SendListener): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => dispatch(options, telling(handler, listener)));
}

/** `compose` hands over handlers of undici's present shape only, so these six methods are all there is to pass on. */
function telling(handler: Dispatcher.DispatchHandler, { onSent, onStatus }: SendListener): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      onSent();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (controller, status, ...rest) => {
      onStatus(status);
      handler.onResponseStart?.(controller, status === MISDIRECTED ? REFUSED : status, ...rest);
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}

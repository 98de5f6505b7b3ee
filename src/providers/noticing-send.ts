import type { Agent, Dispatcher } from 'undici';

/**
 * The agent, telling when a request is written to a connection. undici starts a request only once it has a connection for it:
 * this is the one moment that parts "never sent" from "maybe billed". May be told more than once.
 */
export function noticingSend(agent: Agent, onSent: () => void): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => dispatch(options, telling(handler, onSent)));
}

/** `compose` hands over handlers of undici's present shape only, so these six methods are all there is to pass on. */
function telling(handler: Dispatcher.DispatchHandler, onSent: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      onSent();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}

// One stream of events for all tabs of a browser: the tab that holds a lock has it open, and hands on what it says.

/** A tab that has heard nothing for so long takes the stream over: the one that has it may be frozen. */
const SILENT_MS = 25_000;
/** How often is looked after that, and after a stream that was refused. */
const LOOK_EVERY_MS = 5_000;

/**
 * Listens to the stream at `url` for somebody called `name`: `heard` gets each message. `whole` gives all that was said
 * so far as one message, or nothing. Returns a function that ends it.
 */
export function follow(url, name, heard, whole) {
  if (!globalThis.BroadcastChannel || !navigator.locks) {
    return alone(url, heard);
  }
  const shared = `redial live ${url} ${name}`;
  const channel = new BroadcastChannel(shared);
  let ended = false;
  let waiting; // for the lock: what ends that
  let letGo; // of the lock, where this tab holds it
  let last = performance.now();
  channel.onmessage = ({ data: { asks, said } }) => {
    if (!asks && !letGo) {
      last = performance.now();
      heard(said);
    } else if (asks && letGo) {
      const said = whole();
      if (said) {
        channel.postMessage({ said });
      }
    }
  };
  const hold = () =>
    new Promise((resolve) => {
      if (ended) {
        resolve();
        return;
      }
      const stop = alone(url, (said) => {
        channel.postMessage({ said });
        heard(said);
      });
      letGo = () => {
        letGo = undefined;
        stop();
        resolve();
      };
    });
  const ask = (how, mine) =>
    navigator.locks.request(shared, how, hold).catch(() => {
      if (mine !== waiting) {
        return; // given up for another request
      }
      // Another tab has taken the lock.
      letGo?.();
      if (!ended) {
        last = performance.now();
        wait();
      }
    });
  const wait = () => {
    waiting = new AbortController();
    ask({ signal: waiting.signal }, waiting);
  };
  const giveUp = () => {
    const mine = waiting;
    waiting = undefined;
    mine?.abort();
    letGo?.();
  };
  const take = () => {
    last = performance.now();
    giveUp();
    ask({ steal: true }, undefined);
  };
  // A page that the browser keeps for the way back holds nothing.
  const shown = ({ persisted }) => {
    if (persisted) {
      wait();
    }
  };
  addEventListener("pagehide", giveUp);
  addEventListener("pageshow", shown);
  wait();
  channel.postMessage({ asks: true });
  const look = setInterval(() => {
    if (!letGo && performance.now() - last > SILENT_MS) {
      take();
    }
  }, LOOK_EVERY_MS);
  return () => {
    ended = true;
    clearInterval(look);
    removeEventListener("pagehide", giveUp);
    removeEventListener("pageshow", shown);
    giveUp();
    channel.close();
  };
}

/** A stream of this tab's own. The browser opens it again by itself, unless it was refused. */
function alone(url, heard) {
  let source;
  const open = () => {
    source = new EventSource(url);
    source.onmessage = ({ data }) => heard(data);
  };
  open();
  const look = setInterval(() => {
    if (source.readyState === EventSource.CLOSED) {
      open();
    }
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(look);
    source.close();
  };
}

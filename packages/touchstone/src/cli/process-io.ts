import type { Io, Out } from './io.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const DEFAULT_COLUMNS = 80;

/** The real process. A reader that goes away (`| head`) ends it quietly rather than with a stack trace. */
export function processIo(): Io {
  process.stdout.on('error', endQuietly);
  process.stderr.on('error', endQuietly);
  return {
    stdout: outOf(process.stdout),
    stderr: outOf(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    now: () => Date.now(),
    every(ms, tick) {
      const timer = setInterval(tick, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
    onSignal(listener) {
      for (const signal of SIGNALS) process.on(signal, listener as NodeJS.SignalsListener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener as NodeJS.SignalsListener);
      };
    },
    exit: (code) => process.exit(code),
  };
}

function endQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 3);
}

const outOf = (stream: NodeJS.WriteStream): Out => ({
  write: (text) => void stream.write(text),
  get isTTY() {
    return stream.isTTY === true;
  },
  get columns() {
    return stream.columns || DEFAULT_COLUMNS;
  },
});

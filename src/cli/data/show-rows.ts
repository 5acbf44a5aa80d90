import { styleText } from 'node:util'

/** How often a line of a terminal is written again. */
const SHOWN_EVERY_MS = 100
/** How many rows pass between two lines of a log. */
const LOGGED_EVERY = 200_000

export type RowsShown = {
  step(at: { rows: number; bytes: number }): void
  say(line: string): void
  end(): void
}

/** Shows how many rows of an endpoint have been read: one line that changes on a terminal; elsewhere a line now and then. */
export function showRows(stream: NodeJS.WriteStream, name: string): RowsShown {
  const start = performance.now()
  let [shownAt, logged, isOpen] = [0, 0, false]
  const clear = () => {
    if (isOpen) stream.write('\r\x1b[2K')
    isOpen = false
  }
  return {
    step({ rows, bytes }) {
      const now = performance.now()
      const line = `${name}: ${rows.toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(1)} MB, ${Math.round((now - start) / 1000)} s`
      if (!stream.isTTY) {
        if (rows - logged < LOGGED_EVERY) return
        logged = rows
        stream.write(`${line}\n`)
      } else if (now - shownAt >= SHOWN_EVERY_MS) {
        clear()
        stream.write(styleText('dim', line, { stream }))
        ;[isOpen, shownAt] = [true, now]
      }
    },
    say(line) {
      clear()
      stream.write(`${line}\n`)
    },
    end: clear
  }
}

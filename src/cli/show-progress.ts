import type { WriteStream } from 'node:tty'

export type Progress = {
  step(at: { done: number; total: number; at: string }): void
  end(message: string): void
  fail(message: string): void
}

/** A progress bar on a terminal; elsewhere, such as in a log, a line per 10 %. */
export async function showProgress(stream: NodeJS.WriteStream, title: string): Promise<Progress> {
  return stream.isTTY ? bar(stream, title) : tenths(stream, title)
}

async function bar(stream: WriteStream, title: string): Promise<Progress> {
  // Imported here because no other command needs it.
  const { progress } = await import('@clack/prompts')
  const shown = progress({ output: stream, max: 100, size: 30 })
  let percent = 0
  shown.start(title)
  return {
    step({ done, total, at }) {
      const now = Math.floor((done / total) * 100)
      shown.advance(now - percent, `${title}: ${at.slice(0, 10)}, ${done} of ${total}`)
      percent = now
    },
    end: (message) => shown.stop(message),
    fail: (message) => shown.error(message)
  }
}

function tenths(stream: NodeJS.WritableStream, title: string): Progress {
  let reported = 0
  return {
    step({ done, total, at }) {
      const tenth = Math.floor((done / total) * 10)
      if (tenth === reported) return
      reported = tenth
      stream.write(`${title}: ${tenth * 10} %, ${at.slice(0, 10)}\n`)
    },
    end: (message) => stream.write(`${message}\n`),
    fail: (message) => stream.write(`${message}\n`)
  }
}

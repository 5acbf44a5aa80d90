import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'

/** Whether somebody can answer a question: standard input is a terminal. */
export const mayAsk = (): boolean => process.stdin.isTTY === true

/** What was typed; an empty text when the input ended. */
export async function ask(question: string, err: NodeJS.WriteStream): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: err })
  try {
    const ended = once(prompt, 'close').then(() => '')
    return (await Promise.race([prompt.question(question), ended])).trim()
  } finally {
    prompt.close()
  }
}

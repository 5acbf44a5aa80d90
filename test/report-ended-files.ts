// A reporter beside that of Node: why the process of a test file failed although its tests passed, which Node's does not say.
import type { TestEvent } from 'node:test/reporters'

/** What Node says of a file's process in the error of its failure. */
type ProcessError = { exitCode?: number | null; signal?: string | null }

/**
 * Lines for the end of a run: each file whose process failed, with its exit code or signal and what was reported from it outside of a
 * test, as an error after the end of its test is.
 */
export default async function* reportEndedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const said = new Map<string, string[]>()
  const ended: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic' && data.file) said.set(data.file, [...(said.get(data.file) ?? []), data.message])
    if (type !== 'test:fail' || !data.file || data.name !== data.file) continue
    const { exitCode, signal } = data.details.error as ProcessError
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`
    ended.push(`${data.file} ${how}\n${(said.get(data.file) ?? []).map((line) => `  ${line}\n`).join('')}`)
  }
  for (const one of ended) yield `\n${one}`
}

// A reporter beside that of Node: each failure at once, for Node says why at the end, which an interrupted run does not reach; and why
// the process of a test file failed although its tests passed, which Node's does not say.
import type { TestEvent } from 'node:test/reporters'

/** What Node says of a file's process in the error of its failure. */
type ProcessError = { exitCode?: number | null; signal?: string | null }

/** What Node says of a failure: the error of the test is the cause of its own. */
const reasonOf = (error: Error): string =>
  String((error.cause as Error | undefined)?.stack ?? error.cause ?? error.stack)

/** Whether a test failed only because one within it did. */
const isOfInnerTest = (error: Error): boolean => (error as { failureType?: string }).failureType === 'subtestsFailed'

/**
 * Each test that fails, when it does. And for the end of a run: each file whose process failed, with its exit code or signal and what was reported from it outside of a
 * test, as an error after the end of its test is.
 */
export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const said = new Map<string, string[]>()
  const ended: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic' && data.file) said.set(data.file, [...(said.get(data.file) ?? []), data.message])
    if (type !== 'test:fail' || !data.file) continue
    if (data.name !== data.file) {
      if (!isOfInnerTest(data.details.error)) yield `\n✖ ${data.file}: ${data.name}\n${reasonOf(data.details.error)}\n`
      continue
    }
    const { exitCode, signal } = data.details.error as ProcessError
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`
    ended.push(`${data.file} ${how}\n${(said.get(data.file) ?? []).map((line) => `  ${line}\n`).join('')}`)
  }
  for (const one of ended) yield `\n${one}`
}

// Stands for `node:test` in a warm process: runs the tests of one file after the other, as often as it is asked, up to the first
// failure.
import { mock } from 'node:test'
import { inspect } from 'node:util'

type Hook = () => unknown
type Body = (t: Context) => unknown
type Options = { skip?: boolean | string; todo?: boolean | string }
type Test = { name: string; body: Body; suite: Suite }
type Suite = {
  parent: Suite | null
  before: Hook[]
  after: Hook[]
  beforeEach: Hook[]
  afterEach: Hook[]
  hasBegun: boolean
}

const aSuite = (parent: Suite | null): Suite => ({
  parent,
  before: [],
  after: [],
  beforeEach: [],
  afterEach: [],
  hasBegun: false
})

/** How long what a failed test leaves behind may take to close. */
const CLOSING_MS = 5_000

let top = aSuite(null)
let suiteNow = top
let tests: Test[] = []
let fail: (err: unknown) => void = () => {}
let isRunning = false
let hasStrayed = false

/** What a test is given: as much of node:test's context as our tests use. */
class Context {
  readonly name: string
  readonly mock = mock
  readonly closing: Hook[] = []
  constructor(name: string) {
    this.name = name
  }
  after(hook: Hook): void {
    this.closing.push(hook)
  }
  async test(name: string, ...rest: unknown[]): Promise<void> {
    const { body, isSkipped } = bodyOf(rest)
    if (!isSkipped) await runBody(name, body)
  }
  skip(): void {}
  todo(): void {}
  diagnostic(): void {}
}
export type TestContext = Context

function bodyOf(rest: unknown[]): { body: Body; isSkipped: boolean } {
  const body = rest.find((one) => typeof one === 'function') as Body | undefined
  const options = rest.find((one) => one && typeof one === 'object') as Options | undefined
  return { body: body ?? (() => {}), isSkipped: !body || Boolean(options?.skip) || Boolean(options?.todo) }
}

function register(name: string, ...rest: (Body | Options)[]): Promise<void> {
  const { body, isSkipped } = bodyOf(rest)
  if (!isSkipped) tests.push({ name, body, suite: suiteNow })
  return Promise.resolve()
}

const skipped = { skip: () => Promise.resolve(), todo: () => Promise.resolve() }
export const test = Object.assign(register, skipped, { only: register })
export const it = test
export const suite = Object.assign((_name: string, ...rest: unknown[]) => {
  const { body, isSkipped } = bodyOf(rest)
  if (isSkipped) return
  const outer = suiteNow
  suiteNow = aSuite(outer)
  body(new Context(_name))
  suiteNow = outer
}, skipped)
export const describe = suite
export const before = (hook: Hook) => void suiteNow.before.push(hook)
export const after = (hook: Hook) => void suiteNow.after.push(hook)
export const beforeEach = (hook: Hook) => void suiteNow.beforeEach.push(hook)
export const afterEach = (hook: Hook) => void suiteNow.afterEach.push(hook)
export { mock }
export default test

/** What nobody caught: the failure of what runs, or, between two runs, what an earlier one has left behind. */
export function failUncaught(err: unknown): void {
  if (isRunning) fail(err)
  else hasStrayed = true
}

/**
 * Runs the tests that `load` registers, or those of them with these numbers. `isClean`: nothing of them is left in this process.
 * `ended` is called after what precedes the tests (-1), and after each test with its number.
 */
export async function runTests(
  load: () => Promise<unknown>,
  only: number[] | null,
  ended: (number: number) => void
): Promise<{ error: string | null; isClean: boolean }> {
  top = suiteNow = aSuite(null)
  tests = []
  hasStrayed = false
  let error: string | null = null
  const failed = new Promise<never>((_, reject) => {
    fail = (err) => {
      error ??= inspect(err, { depth: 6 })
      reject(err)
    }
  })
  failed.catch(() => {})
  isRunning = true
  const unlessFailed = (work: unknown) => Promise.race([work, failed])
  const suites: Suite[] = []
  try {
    await unlessFailed(load())
    for (const [number, { name, body, suite: of }] of tests.entries()) {
      if (only && !only.includes(number)) continue
      const around = lineOf(of)
      for (const one of around.filter(({ hasBegun }) => !hasBegun)) {
        one.hasBegun = true
        suites.unshift(one)
        for (const hook of one.before) await unlessFailed(hook())
      }
      ended(-1)
      for (const one of around) for (const hook of one.beforeEach) await unlessFailed(hook())
      await unlessFailed(runBody(name, body))
      for (const one of around) for (const hook of one.afterEach) await unlessFailed(hook())
      ended(number)
    }
  } catch (err) {
    fail(err)
  }
  if (!suites.includes(top)) suites.push(top)
  const isClean = await close(suites.flatMap((one) => one.after))
  ended(-1)
  isRunning = false
  return { error, isClean: isClean && !hasStrayed }
}

const lineOf = (of: Suite): Suite[] => (of.parent ? [...lineOf(of.parent), of] : [of])

async function runBody(name: string, body: Body): Promise<void> {
  const context = new Context(name)
  try {
    await body(context)
  } catch (err) {
    fail(err)
    throw err
  } finally {
    mock.restoreAll()
    const isClosed = await close(context.closing)
    if (!isClosed) hasStrayed = true
  }
}

/** Runs the hooks; whether all of them ended well and in time. */
async function close(hooks: Hook[]): Promise<boolean> {
  let isClean = true
  for (const hook of hooks) {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => late.reject(new Error('A hook did not end')), CLOSING_MS)
    try {
      await Promise.race([hook(), late.promise])
    } catch (err) {
      fail(err)
      isClean = false
    } finally {
      clearTimeout(timer)
    }
  }
  return isClean
}

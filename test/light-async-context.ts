// Loaded before every test file (`compare-temporal.ts`). Node's test runner asks async_hooks to which test a piece of code belongs.
// For that Node follows each promise and socket of the service from its beginning to its end: a sixth of the CPU time of a run. An
// AsyncLocalStorage knows the test too, and follows nothing. What is replaced here is put back as soon as the runner has taken it.
import asyncHooks, { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

type Init = (asyncId: number, type: string, triggerAsyncId: number, resource: object) => void

const { createHook, executionAsyncId } = asyncHooks
/** The id of the test or reporter that runs. */
const running = new AsyncLocalStorage<number>()
let noteTest: Init | undefined

/** What the runner's tests are derived from. */
class FollowedResource extends AsyncResource {
  constructor(...args: ConstructorParameters<typeof AsyncResource>) {
    super(...args)
    noteTest?.(this.asyncId(), args[0], this.triggerAsyncId(), this)
  }

  override runInAsyncScope<This, Result>(
    fn: (this: This, ...args: any[]) => Result,
    thisArg?: This,
    ...args: any[]
  ): Result {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => fn.apply(thisArg as This, args)))
  }
}

Object.assign(asyncHooks, {
  AsyncResource: FollowedResource,
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
  createHook({ init }: { init: Init }) {
    Object.assign(asyncHooks, { AsyncResource, executionAsyncId, createHook })
    noteTest = init
    return { enable() {}, disable() {} }
  }
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

/** What the parts tell of their work. Labels are words of ours, never ids, names or URLs. */
export type Metrics = {
  /** One run of an engine over one store, and how many things it did. */
  engineRan(engine: string, done: number): void
  /** One run that threw. */
  engineFailed(engine: string): void
  /** One operation of the connector; `outcome` is ok or the kind of failure. */
  platformCalled(operation: string, outcome: string): void
  /** A page of a look at the platform: what was seen, and what of it was new to us. */
  reconciled(kind: string, page: { seen: number; changed: number }): void
  /** One POST to a receiver; `outcome` is delivered or why it failed. */
  webhookTried(outcome: string, seconds: number): void
  /** How many things wait in each queue; asked at every look. */
  watchQueues(depths: () => Promise<Record<string, number>>): void
  /** One answered request; `route` is the pattern, never the URL. */
  requestAnswered(request: { method: string; route: string; status: number; seconds: number }): void
  /** Answers `/metrics` in Prometheus' text format. */
  handler(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

const NS_PER_SECOND = 1e9
/** OpenTelemetry's own boundaries are made for milliseconds. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const TRY_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * The figures of this process, in the standard names of OpenTelemetry where there are any. The unit is in the name, as
 * Prometheus wants it: the exporter adds none.
 */
export function createMetrics(): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutTargetInfo: true, withoutScopeInfo: true })
  const provider = new MeterProvider({ readers: [exporter] })
  const meter = provider.getMeter('perennial')

  const engineRuns = meter.createCounter('perennial.engine.runs', { description: 'Runs of engines over stores' })
  const engineItems = meter.createCounter('perennial.engine.items', { description: 'Things that engines did' })
  const engineFailures = meter.createCounter('perennial.engine.failures', { description: 'Runs of engines that threw' })
  const platformCalls = meter.createCounter('perennial.platform.calls', {
    description: 'Calls to platforms by outcome'
  })
  const reconciledItems = meter.createCounter('perennial.reconcile.items', {
    description: 'Things looked at on platforms by kind of look'
  })
  const reconciledChanges = meter.createCounter('perennial.reconcile.changes', {
    description: 'Things on platforms of which no message had told us'
  })
  const queueDepth = meter.createObservableGauge('perennial.queue.depth', { description: 'What waits in each queue' })
  const requests = meter.createHistogram('http.server.request.duration.seconds', {
    description: 'Time to answer',
    advice: { explicitBucketBoundaries: REQUEST_SECONDS }
  })
  const webhookTries = meter.createHistogram('perennial.webhook.try.duration.seconds', {
    description: 'Tries to deliver webhooks by outcome',
    advice: { explicitBucketBoundaries: TRY_SECONDS }
  })

  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  meter
    .createObservableGauge('nodejs.eventloop.delay.p99.seconds', { description: 'Since the last look' })
    .addCallback((result) => {
      // Without a tick since the last look there is no figure.
      result.observe((delay.percentile(99) || 0) / NS_PER_SECOND)
      delay.reset()
    })
  meter
    .createObservableGauge('process.memory.usage.bytes', { description: 'Resident memory' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()))
  meter
    .createObservableGauge('v8js.memory.heap.used.bytes', { description: 'Heap in use' })
    .addCallback((result) => result.observe(process.memoryUsage().heapUsed))
  meter
    .createObservableCounter('process.cpu.time.seconds', { description: 'CPU time of the process' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe((user + system) / 1e6)
    })

  return {
    engineRan(engine, done) {
      engineRuns.add(1, { engine })
      if (done > 0) engineItems.add(done, { engine })
    },
    engineFailed: (engine) => engineFailures.add(1, { engine }),
    platformCalled: (operation, outcome) => platformCalls.add(1, { operation, outcome }),
    reconciled(kind, { seen, changed }) {
      if (seen > 0) reconciledItems.add(seen, { kind })
      if (changed > 0) reconciledChanges.add(changed, { kind })
    },
    webhookTried: (outcome, seconds) => webhookTries.record(seconds, { outcome }),
    watchQueues(depths) {
      queueDepth.addCallback(async (result) => {
        for (const [queue, depth] of Object.entries(await depths())) result.observe(depth, { queue })
      })
    },
    requestAnswered: ({ method, route, status, seconds }) =>
      requests.record(seconds, {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status
      }),
    handler: (request, response) => exporter.getMetricsRequestHandler(request, response),
    async close() {
      delay.disable()
      await provider.shutdown()
    }
  }
}

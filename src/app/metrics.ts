import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'

export type Metrics = {
  /** One run of an engine over one store, and how many things it did. */
  engineRan(engine: string, done: number): void
  /** One answered request; `route` is the pattern, never the URL. */
  requestAnswered(request: { method: string; route: string; status: number; seconds: number }): void
  /** Answers `/metrics` in Prometheus' text format. */
  handler(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

const NS_PER_SECOND = 1e9

/** The figures of this process, in the standard names of OpenTelemetry where there are any. */
export function createMetrics(): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutTargetInfo: true })
  const provider = new MeterProvider({ readers: [exporter] })
  const meter = provider.getMeter('perennial')

  const engineRuns = meter.createCounter('perennial.engine.runs', { description: 'Runs of engines over stores' })
  const engineItems = meter.createCounter('perennial.engine.items', { description: 'Things that engines did' })
  const requests = meter.createHistogram('http.server.request.duration', { description: 'Time to answer', unit: 's' })

  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  meter
    .createObservableGauge('nodejs.eventloop.delay.p99', { description: 'Since the last look', unit: 's' })
    .addCallback((result) => {
      result.observe(delay.percentile(99) / NS_PER_SECOND)
      delay.reset()
    })
  meter
    .createObservableGauge('process.memory.usage', { description: 'Resident memory', unit: 'By' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()))
  meter
    .createObservableCounter('process.cpu.time', { description: 'CPU time of the process', unit: 's' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe((user + system) / 1e6)
    })

  return {
    engineRan(engine, done) {
      engineRuns.add(1, { engine })
      if (done > 0) engineItems.add(done, { engine })
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

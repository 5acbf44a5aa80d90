import type { IncomingMessage, ServerResponse } from 'node:http'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import type { Measure, Metric } from '#kit/metrics'
import { watchProcess } from '#kit/process-metrics'
import * as metricList from './metric-list.ts'

export type Metrics = {
  measure: Measure
  /** Reads a metric at every scrape: a number, or one for each value of its only label. */
  watch(metric: Metric, read: () => number | Promise<Record<string, number>>): void
  /** Answers `/metrics` in Prometheus' text format. */
  handler(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

/** The metrics of this process. Refuses to start with two of one name, and to measure one that is not listed. */
export function createMetrics(listed: readonly Metric[] = Object.values(metricList)): Metrics {
  const names = new Set(listed.map(({ name }) => name))
  if (names.size < listed.length) throw new Error('Two metrics in app/metric-list.ts have the same name')
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutTargetInfo: true, withoutScopeInfo: true })
  const provider = new MeterProvider({ readers: [exporter] })
  const meter = provider.getMeter('perennial')
  const recorders = new Map<Metric, (value: number, labels: Record<string, string | number>) => void>()

  const recorderOf = (metric: Metric) => {
    const { name, kind, help: description, buckets } = metric
    if (!listed.includes(metric)) throw new Error(`The metric ${name} is not in app/metric-list.ts`)
    if (kind === 'counter') {
      const counter = meter.createCounter(name, { description })
      return counter.add.bind(counter)
    }
    const advice = { explicitBucketBoundaries: [...(buckets ?? [])] }
    const histogram = meter.createHistogram(name, { description, advice })
    return histogram.record.bind(histogram)
  }

  const watch: Metrics['watch'] = (metric, read) => {
    const { name, kind, help: description, labels } = metric
    const create = kind === 'counter' ? meter.createObservableCounter : meter.createObservableGauge
    create.call(meter, name, { description }).addCallback(async (result) => {
      const values = await read()
      if (typeof values === 'number') return result.observe(values)
      const [label] = Object.keys(labels)
      for (const [word, value] of Object.entries(values)) result.observe(value, { [label!]: word })
    })
  }
  const ofProcess = watchProcess()
  for (const { metric, read } of ofProcess.values) watch(metric, read)

  return {
    measure(metric, value, labels) {
      const record = recorders.get(metric) ?? recorderOf(metric)
      recorders.set(metric, record)
      record(value, labels)
    },
    watch,
    handler: (request, response) => exporter.getMetricsRequestHandler(request, response),
    async close() {
      ofProcess.stop()
      await provider.shutdown()
    }
  }
}

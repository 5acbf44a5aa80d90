/** A metric of this process. Labels hold words of ours: never ids, names of people or URLs. */
export type Metric<Label extends string = string> = {
  /** Dotted, with its unit at the end: the exporter adds none. OpenTelemetry's own name where there is one. */
  name: string
  /** A gauge is read when `/metrics` is asked for; the others are measured where the work is done. */
  kind: 'counter' | 'histogram' | 'gauge'
  /** What it counts or measures, for the table in docs/operations.md. */
  help: string
  /** What each label holds. */
  labels: { readonly [name in Label]: string }
  /** The upper bounds of a histogram's buckets. */
  buckets?: readonly number[]
}

/** Adds to a counter, or records a value of a histogram. */
export type Measure = <Label extends string>(
  metric: Metric<Label>,
  value: number,
  labels: Record<Label, string | number>
) => void

/** Declares a metric: in a module's `metrics.ts`, and one line in app/metric-list.ts. */
export const defineMetric = <const Label extends string = never>(metric: Metric<Label>): Metric<Label> => metric

/** The name under which Prometheus shows a metric. */
export const exposedName = ({ name, kind }: Pick<Metric, 'name' | 'kind'>): string =>
  `${name.replaceAll('.', '_')}${kind === 'counter' ? '_total' : ''}`

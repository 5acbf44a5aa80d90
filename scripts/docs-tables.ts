import type { AuditRule } from '#kit/audit-rules'
import { exposedName, type Metric } from '#kit/metrics'
import { acceptedWords, listSettings } from '#kit/settings'
import * as metricList from '../src/app/metric-list.ts'
import { SETTINGS } from '../src/app/settings.ts'
import * as settingsSections from '../src/app/settings-sections.ts'
import { platformChargesAgree } from '../src/audit/platform-charges.ts'
import * as ruleList from '../src/audit/rule-list.ts'

type Rule = Pick<AuditRule, 'name' | 'severity' | 'help'>

const rulesOf = (severity: Rule['severity']) => () => [
  ['check', severity === 'finding' ? 'a finding means' : 'what to do'],
  ...[...Object.values(ruleList), platformChargesAgree]
    .filter((rule: Rule) => rule.severity === severity)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, help }) => [`\`${name}\``, help])
]

/** The tables in docs/ that are made from registries: each stands in its file between its two comments. */
const TABLES: { file: string; name: string; rows: () => string[][] }[] = [
  {
    file: 'docs/settings.md',
    name: 'environment',
    rows: () => [
      ['name', 'accepts', 'default', 'what it does'],
      ...SETTINGS.map(({ name, accepts, default: usual, meaning }) => [`\`${name}\``, accepts, usual, meaning])
    ]
  },
  {
    file: 'docs/settings.md',
    name: 'store settings',
    rows: () => [
      ['name', 'flag', 'accepts', 'default', 'what it does'],
      ...Object.values(settingsSections)
        .flatMap(listSettings)
        .map(({ path, setting }) => [
          `\`${path.join('.')}\``,
          `\`${setting.flag.split(' ')[0]}\``,
          acceptedWords(setting.accepts),
          [setting.default].flat().join(', '),
          setting.help
        ])
    ]
  },
  {
    file: 'docs/operations.md',
    name: 'metrics',
    rows: () => [
      ['name', 'kind', 'what it measures', 'labels'],
      ...Object.values<Metric>(metricList)
        .toSorted((a, b) => (exposedName(a) < exposedName(b) ? -1 : 1))
        .map((metric) => [
          `\`${exposedName(metric)}\``,
          metric.kind,
          metric.help,
          Object.entries(metric.labels)
            .map(([name, words]) => `\`${name.replaceAll('.', '_')}\`: ${words}`)
            .join('; ')
        ])
    ]
  },
  { file: 'docs/operations.md', name: 'findings', rows: rulesOf('finding') },
  { file: 'docs/operations.md', name: 'warnings', rows: rulesOf('warning') }
]

/** The files that hold such tables. */
export const FILES_WITH_TABLES = [...new Set(TABLES.map(({ file }) => file))]

/** The text of a file with its tables as the registries have them now. Throws when a table's comments are missing. */
export function withTables(file: string, text: string): string {
  return TABLES.filter((table) => table.file === file).reduce((page, { name, rows }) => {
    const [begin, end] = [`<!-- ${name}: written by npm run docs:generate -->\n`, '<!-- end -->']
    const from = page.indexOf(begin)
    const to = page.indexOf(end, from)
    if (from < 0 || to < 0) throw new Error(`${file} has no place for the table of ${name}`)
    return page.slice(0, from + begin.length) + table(rows()) + page.slice(to)
  }, text)
}

function table([head, ...rows]: string[][]): string {
  const lines = [head!, head!.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${lines.join('\n')}\n`
}

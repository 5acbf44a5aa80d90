import { type ExportEndpoint, endpoints, type FieldFormat } from '#exports'
import type { AuditRule } from '#kit/define-audit-rule'
import { acceptedWords, listSettings } from '#kit/define-settings'
import { exposedName, type Metric } from '#kit/metrics'
import { METAFIELD_OWNERS } from '#platform'
import * as metricList from '../src/app/metric-list.ts'
import * as settingsSections from '../src/app/settings-sections.ts'
import { platformCreditAgrees } from '../src/audit/audit-credit.ts'
import { platformMetafieldsAgree } from '../src/audit/audit-metafields.ts'
import { platformTagsAgree } from '../src/audit/audit-tags.ts'
import { clocksAgree } from '../src/audit/clocks-agree.ts'
import { platformChargesAgree } from '../src/audit/platform-charges.ts'
import { PROBLEM_KINDS } from '../src/audit/problems/problem.ts'
import * as ruleList from '../src/audit/rule-list.ts'
import { standbysSynchronous } from '../src/audit/standbys-synchronous.ts'
import { DECLINE_KINDS, DECLINE_TABLE } from '../src/billing/dunning/decline-codes.ts'
import { ENVIRONMENT_VARIABLES } from '../src/cli/environment-variables.ts'
import { accessScopes } from '../src/platform/access-scopes.ts'
import { eventSections } from './event-sections.ts'
import { code, table } from './markdown.ts'
import { metafieldSections } from './metafield-sections.ts'
import { commonRuleKeyTable, offerTypeSections, rewardSections, ruleTypeSections } from './rule-type-sections.ts'

type Rule = Pick<AuditRule, 'name' | 'severity' | 'help'>

const rulesOf = (severity: Rule['severity']) => () => [
  ['check', severity === 'finding' ? 'a finding means' : 'what to do'],
  ...[
    ...Object.values(ruleList),
    platformChargesAgree,
    platformTagsAgree,
    platformCreditAgrees,
    platformMetafieldsAgree,
    standbysSynchronous,
    clocksAgree
  ]
    .filter((rule: Rule) => rule.severity === severity)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, help }) => [`\`${name}\``, help])
]

const incrementOf = ({ filters, addsOnly }: ExportEndpoint): string =>
  addsOnly ? 'what was added' : filters.includes('since_updated') ? 'what changed' : 'all'

/** How the values of a field are written in the rows of the Data API. */
const FORMAT_WORDS: Record<FieldFormat, string> = {
  text: 'text',
  minute: '`Y-m-d H:i`',
  day: '`Y-m-d`',
  decimal: 'decimal as text',
  integer: 'integer',
  boolean: 'boolean'
}

/** Parts of docs/ that are made from the code: each is in its file between its two comments. */
const PARTS: { file: string; name: string; text: () => string }[] = [
  {
    file: 'docs/settings.md',
    name: 'environment',
    text: tableOf(() => [
      ['name', 'accepts', 'default', 'what it does'],
      ...ENVIRONMENT_VARIABLES.map(({ name, accepts, default: usual, meaning }) => [
        `\`${name}\``,
        accepts,
        usual,
        meaning
      ])
    ])
  },
  {
    file: 'docs/settings.md',
    name: 'store settings',
    text: tableOf(() => [
      ['name', 'flag', 'accepts', 'default', 'what it does'],
      ...Object.values(settingsSections)
        .flatMap(listSettings)
        .map(({ path, setting }) => [
          `\`${path.join('.')}\``,
          `\`${setting.flag.split(' ')[0]}\``,
          acceptedWords(setting.accepts),
          [setting.default].flat().map(String).join(', '),
          setting.help
        ])
    ])
  },
  {
    file: 'docs/operations.md',
    name: 'metrics',
    text: tableOf(() => [
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
    ])
  },
  {
    file: 'docs/operations.md',
    name: 'problems',
    text: tableOf(() => [
      ['kind', 'what it means, and what to do'],
      ...Object.entries(PROBLEM_KINDS).map(([kind, { severity, help }]) => [
        `\`${kind}\``,
        severity === 'note' ? `${help} (A note: the exit code stays 0.)` : help
      ])
    ])
  },
  {
    file: 'docs/operations.md',
    name: 'access scopes',
    text: tableOf(() => [
      ['scope', 'for', 'without it', 'approval'],
      ...accessScopes.map(({ scope, optional, neededFor, without, approval, personalData }) => [
        `${code(scope)}${optional ? ' (optional)' : ''}`,
        neededFor,
        without,
        [personalData && 'personal data', approval].filter(Boolean).join('; ') || 'none'
      ])
    ])
  },
  { file: 'docs/operations.md', name: 'findings', text: tableOf(rulesOf('finding')) },
  { file: 'docs/operations.md', name: 'warnings', text: tableOf(rulesOf('warning')) },
  {
    file: 'docs/warehouses.md',
    name: 'streams',
    text: tableOf(() => [
      ['endpoint', 'key', 'paging', 'a later sync reads'],
      ...endpoints.map((endpoint) => [
        code(`/${endpoint.name}`),
        endpoint.key.map(code).join(', ') || 'none',
        endpoint.paging === 'page' ? code('page') : code('since_id'),
        incrementOf(endpoint)
      ])
    ])
  },
  ...endpoints.map(({ name, fields }) => ({
    file: 'docs/data-fields.md',
    name,
    text: tableOf(() => [
      ['field', 'format', 'meaning'],
      ...fields.map((field) => [
        code(field.name),
        `${FORMAT_WORDS[field.format]}${field.optional ? ', not in every row' : ''}`,
        field.meaning
      ])
    ])
  })),
  { file: 'docs/events.md', name: 'payloads', text: eventSections },
  ...METAFIELD_OWNERS.map((owner) => ({
    file: 'docs/metafields.md',
    name: owner,
    text: () => metafieldSections(owner)
  })),
  { file: 'docs/churn.md', name: 'offer types', text: offerTypeSections },
  { file: 'docs/loyalty.md', name: 'common keys', text: commonRuleKeyTable },
  { file: 'docs/loyalty.md', name: 'types', text: ruleTypeSections },
  { file: 'docs/loyalty.md', name: 'rewards', text: rewardSections },
  {
    file: 'docs/api.md',
    name: 'decline classes',
    text: tableOf(() => [
      ['`error.code`', 'kind', '`error.decline_code`'],
      ...Object.entries(DECLINE_KINDS).map(([declineClass, kind]) => [
        code(declineClass),
        kind,
        DECLINE_TABLE.filter((row) => row.code === declineClass)
          .map(({ declineCode }) => code(declineCode))
          .toSorted()
          .join(', ')
      ])
    ])
  },
  {
    file: 'docs/declines.md',
    name: 'decline codes',
    text: tableOf(() => [
      ['code of the platform', '`error.code`', 'kind', 'why', 'from'],
      ...DECLINE_TABLE.map((row) => [code(row.platformCode), code(row.code), row.kind, row.reason, row.source])
    ])
  }
]

/** The files that hold such parts. */
export const FILES_WITH_PARTS = [...new Set(PARTS.map(({ file }) => file))]

/** The text of a file with its parts as the code has them now. Throws when a part's comments are missing. */
export function withParts(file: string, text: string): string {
  return PARTS.filter((part) => part.file === file).reduce((page, { name, text: generated }) => {
    const [begin, end] = [`<!-- ${name}: written by npm run docs:generate -->\n`, '<!-- end -->']
    const from = page.indexOf(begin)
    const to = page.indexOf(end, from)
    if (from < 0 || to < 0) throw new Error(`${file} has no place for ${name}`)
    return page.slice(0, from + begin.length) + generated() + page.slice(to)
  }, text)
}

function tableOf(rows: () => string[][]): () => string {
  return () => {
    const [head, ...others] = rows()
    return `${table(head!, others)}\n`
  }
}

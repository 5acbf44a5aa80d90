import { numberOr } from '../../../shared/forms/described-keys.ts'
import { enteredInstant, timeOf } from '../../../shared/forms/time-field.ts'
import type { Template } from '../queries.ts'

export type TemplateRules = {
  amount: number
  applies_to: 'all' | 'products' | 'collections'
  product_ids: string[]
  collection_ids: string[]
  minimum_subtotal: number | null
  expires_after_days: number | null
}

export const rulesOf = ({ rules }: Template): TemplateRules => rules as unknown as TemplateRules

export function templateValues(template: Template | null, zone: string) {
  const rules = template && rulesOf(template)
  return {
    name: template?.name ?? '',
    type: template?.type ?? 'fixed_amount',
    amount: textOf(rules?.amount),
    applies_to: (rules?.applies_to ?? 'all') as string,
    product_ids: rules?.product_ids ?? [],
    collection_ids: rules?.collection_ids ?? [],
    minimum_subtotal: textOf(rules?.minimum_subtotal),
    expires_after_days: textOf(rules?.expires_after_days),
    required_points: textOf(template?.required_points),
    discount_code_prefix: template?.discount_code_prefix ?? '',
    enabled: template?.enabled ?? true,
    starts_at: timeOf(template?.starts_at, zone),
    ends_at: timeOf(template?.ends_at, zone)
  }
}

export type TemplateValues = ReturnType<typeof templateValues>

/** What the API is sent. */
export function templateBody(values: TemplateValues, template: Template | null, zone: string) {
  const { applies_to } = values
  const rules = {
    amount: numberOr(values.amount),
    applies_to,
    ...(applies_to === 'products' && { product_ids: values.product_ids }),
    ...(applies_to === 'collections' && { collection_ids: values.collection_ids }),
    minimum_subtotal: values.minimum_subtotal.trim() ? numberOr(values.minimum_subtotal) : null,
    expires_after_days: values.expires_after_days.trim() ? numberOr(values.expires_after_days) : null
  }
  return {
    name: values.name,
    type: values.type as 'percentage' | 'fixed_amount',
    rules: rules as unknown as Record<string, never>,
    required_points: numberOr(values.required_points) as number,
    discount_code_prefix: values.discount_code_prefix.trim(),
    enabled: values.enabled,
    starts_at: enteredInstant(values.starts_at, template?.starts_at, zone),
    ends_at: enteredInstant(values.ends_at, template?.ends_at, zone)
  }
}

/** The field of the form that a path of the API is. */
export function templateField(path: string): string | null {
  const name = path.replace(/^rules\./, '').replace(/\[.*$/, '')
  return Object.hasOwn(templateValues(null, 'UTC'), name) ? name : null
}

const textOf = (value: number | null | undefined) => (value === undefined || value === null ? '' : String(value))

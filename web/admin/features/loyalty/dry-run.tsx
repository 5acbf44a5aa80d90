import { Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../shared/api/errors.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { numberOr } from '../../shared/forms/described-keys.ts'
import { Failure } from '../../shared/ui/failure.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../shared/ui/named-cell.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { dryRunQuery } from './queries.ts'
import { useLoyaltyTexts } from './texts.ts'

/** As long as somebody types, nothing is asked. */
const SETTLED_MS = 250

type Line = { product: string; quantity: string; price: string }
type Draft = { customer: string; lines: Line[] }

const FIRST: Draft = { customer: '', lines: [{ product: '101', quantity: '2', price: '20.00' }] }

/** What an order would earn, which follows while it is entered. */
export function DryRun() {
  const { dry } = useLoyaltyTexts()
  const [draft, setDraft] = useState(FIRST)
  const [settled] = useDebouncedValue(draft, SETTLED_MS)
  const { id, currency } = useKnownStore()
  const result = useQuery(dryRunQuery(id, settled.customer.trim(), orderOf(settled, currency)))
  const details = result.error instanceof ApiError ? result.error.details : []
  const errorOf = (field: string) =>
    details.find((one) => one.field === field || one.field === `platform_order.${field}`)?.message
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {dry.about}
      </Text>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Section title={dry.order}>
          <Order draft={draft} onChange={setDraft} errorOf={errorOf} />
        </Section>
        <Section title={dry.result}>
          {result.error ? (
            details.length > 0 ? (
              <Text c="dimmed">{`${dry.wrong} ${result.error.message}`}</Text>
            ) : (
              <Failure error={result.error} />
            )
          ) : (
            result.data && <Result result={result.data} />
          )}
        </Section>
      </SimpleGrid>
    </Stack>
  )
}

const orderOf = ({ lines }: Draft, currency: string) => ({
  currency,
  line_items: lines.map(({ product, quantity, price }) => ({
    ...(product.trim() && { product_id: numberOr(product) }),
    quantity: numberOr(quantity),
    price: price.trim()
  }))
})

type OrderProps = { draft: Draft; onChange: (draft: Draft) => void; errorOf: (field: string) => string | undefined }

function Order({ draft, onChange, errorOf }: OrderProps) {
  const { dry, customerHelp } = useLoyaltyTexts()
  const { lines } = draft
  const change = (at: number, field: keyof Line, value: string) =>
    onChange({ ...draft, lines: lines.map((line, i) => (i === at ? { ...line, [field]: value } : line)) })
  return (
    <Stack gap="sm">
      <TextInput
        label={dry.whose}
        description={dry.whoseHelp}
        title={customerHelp}
        value={draft.customer}
        maxLength={330}
        onChange={({ currentTarget }) => onChange({ ...draft, customer: currentTarget.value })}
        error={errorOf('customer')}
      />
      {lines.map((line, i) => (
        <Fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          key={i}
          legend={dry.line(i + 1)}
          p="xs"
        >
          <SimpleGrid cols={3} spacing="xs">
            {(['product', 'quantity', 'price'] as const).map((field) => (
              <TextInput
                key={field}
                label={{ product: dry.product, quantity: dry.pieces, price: dry.price }[field]}
                inputMode={field === 'price' ? 'decimal' : 'numeric'}
                value={line[field]}
                onChange={({ currentTarget }) => change(i, field, currentTarget.value)}
                error={errorOf(`line_items[${i}].${field === 'product' ? 'product_id' : field}`)}
              />
            ))}
          </SimpleGrid>
          {lines.length > 1 && (
            <Button
              variant="subtle"
              size="compact-xs"
              mt="xs"
              onClick={() => onChange({ ...draft, lines: lines.filter((_, at) => at !== i) })}
            >
              {dry.removeLine(i + 1)}
            </Button>
          )}
        </Fieldset>
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          onClick={() => onChange({ ...draft, lines: [...lines, { product: '', quantity: '1', price: '' }] })}
        >
          {dry.addLine}
        </Button>
      </Group>
    </Stack>
  )
}

type Preview = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof dryRunQuery>['queryFn']>>>>

function Result({ result: { eligible, currency, points, rules } }: { result: Preview }) {
  const { dry } = useLoyaltyTexts()
  const { money, count } = useFormats()
  return (
    <Stack gap="xs">
      <Text role="status" fw={600}>
        {dry.points(count(points))}
      </Text>
      <Text size="sm">{dry.counts(money(eligible, currency))}</Text>
      <PlainTable
        label={dry.result}
        rows={rules}
        keyOf={(rule) => String(rule.id)}
        empty={dry.none}
        columns={[
          { title: dry.rule, cell: (rule) => <NamedCell name={rule.name} about={rule.reward_text} /> },
          {
            title: dry.outcome,
            cell: ({ outcome, rewards, points: earned }) => (
              <NamedCell
                name={dry.outcomes[outcome] ?? outcome}
                about={[rewards > 1 && dry.times(count(rewards)), earned > 0 && dry.points(count(earned))]
                  .filter(Boolean)
                  .join(', ')}
              />
            )
          },
          {
            title: dry.progress,
            cell: ({ current, required }) =>
              current === null || required === null ? '–' : dry.of(count(current), count(required))
          }
        ]}
      />
    </Stack>
  )
}

import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { May } from '../../shared/session/may.tsx'
import { useLedgerReason } from '../../shared/texts/ledger-reasons.ts'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { AdjustButton } from './adjust-button.tsx'
import { Codes } from './codes/codes.tsx'
import { OnPlatform } from './on-platform.tsx'
import type { Account, Customer } from './queries.ts'
import { useCreditTexts } from './texts.ts'

type Props = { customer: Customer; account: Account }

/** The account of a customer with its ledger, and the ways to correct it. */
export function AccountView({ customer, account }: Props) {
  const { id: store } = useKnownStore()
  const texts = useCreditTexts()
  const { money } = useFormats()
  const amount = (value: number) => money(value, account.currency)
  return (
    <>
      <Section title={customer.name ?? customer.email ?? customer.id}>
        <Anchor
          component={Link}
          to={`/stores/${store}/members/${customer.platform_customer_id}`}
          size="sm"
          className="wrap-anywhere"
        >
          {customer.name === null ? texts.toMember : (customer.email ?? texts.toMember)}
        </Anchor>
        <div>
          <Text size="xl" fw={600} className="figure">
            {amount(account.available)}
          </Text>
          <Text size="sm" c="dimmed">
            {texts.available}
          </Text>
        </div>
        <FactList
          facts={[
            [texts.balance, amount(account.balance)],
            [texts.reserved, amount(account.reserved)],
            [texts.charged, amount(account.charged)],
            [texts.used, amount(account.used)],
            [texts.refunded, amount(account.refunded)],
            [texts.disputed, amount(account.disputed)],
            [texts.forfeited, amount(account.forfeit)],
            [texts.reconciled, amount(account.reconciled)]
          ]}
        />
        <May permission="support">
          <Group gap="xs">
            {(['add', 'deduct', 'reconcile', 'forfeit'] as const).map((kind) => (
              <AdjustButton key={kind} kind={kind} customer={customer} account={account} />
            ))}
          </Group>
        </May>
      </Section>
      <Ledger account={account} />
      <Codes customer={customer} account={account} />
      <OnPlatform customer={customer} currency={account.currency} />
    </>
  )
}

function Ledger({ account }: { account: Account }) {
  const { id: store, timezone } = useKnownStore()
  const texts = useCreditTexts()
  const { money } = useFormats()
  const { currency, entries } = account
  const words = useLedgerReason()
  return (
    <Section title={texts.ledger}>
      <PlainTable
        label={texts.ledger}
        rows={entries}
        keyOf={({ id }) => id}
        empty={texts.noEntries}
        columns={[
          { title: texts.when, cell: ({ created_at }) => <Instant at={created_at} zone={timezone} /> },
          { title: texts.type, cell: ({ type }) => texts.types[type] ?? type },
          {
            title: texts.reason,
            cell: ({ reason }) => (
              <Text size="sm" lineClamp={3} className="wrap-anywhere" miw={160}>
                {words(reason)}
              </Text>
            )
          },
          { title: texts.amount, isNumber: true, cell: ({ amount }) => money(amount, currency) },
          { title: texts.after, isNumber: true, cell: ({ balance_after }) => money(balance_after, currency) },
          {
            title: texts.order,
            cell: ({ order_id }) =>
              order_id === null ? (
                '–'
              ) : (
                <Anchor component={Link} to={`/stores/${store}/orders/${order_id}`} size="sm">
                  {order_id}
                </Anchor>
              )
          },
          { title: texts.expires, cell: ({ expires_at }) => <Instant at={expires_at} zone={timezone} dayOnly /> }
        ]}
      />
      {entries.length === LATEST && (
        <Text size="xs" c="dimmed">
          {texts.latestOnly}
        </Text>
      )}
    </Section>
  )
}

/** So many entries the API gives with an account. */
const LATEST = 20

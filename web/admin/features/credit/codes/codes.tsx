import { Anchor, Box, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { May, useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type Account, type Customer, onPlatformQuery } from '../queries.ts'
import { CreateCode } from './create-code.tsx'
import { type CreditCode, codesQuery, isOpen, revokeCode } from './queries.ts'
import { useCodesTexts } from './texts.ts'

type Props = { customer: Customer; account: Account }

/** The discount codes by which a customer spends credit, where their plan gives it so. */
export function Codes({ customer, account }: Props) {
  const { id: store, timezone } = useKnownStore()
  const codes = useQuery(codesQuery(store, customer.id))
  const way = useQuery(onPlatformQuery(store, customer.id)).data?.way
  const texts = useCodesTexts()
  const { common } = useTexts()
  const mayRevoke = useMay('support')
  // While it is not known how the credit is spent, the service decides.
  const spendsByCodes = way === undefined || way === 'coupon'
  return (
    <Section
      title={texts.title}
      aside={
        spendsByCodes && (
          <May permission="support">
            <CreateCode customer={customer} account={account} />
          </May>
        )
      }
    >
      <QueryView query={codes}>
        {(known) => (
          <PlainTable
            label={texts.title}
            rows={known}
            keyOf={({ id }) => id}
            empty={spendsByCodes ? texts.none : texts.otherWay}
            columns={[
              {
                title: texts.code,
                cell: ({ code, id }) =>
                  code === null ? (
                    id
                  ) : (
                    <Box miw="max-content" className="no-wrap">
                      <CopyId value={code} />
                    </Box>
                  )
              },
              { title: texts.status, cell: (code) => <CodeStatus code={code} /> },
              { title: texts.amount, isNumber: true, cell: (code) => <TakesOff code={code} /> },
              { title: texts.until, cell: ({ expires_at }) => <Instant at={expires_at} zone={timezone} /> },
              { title: texts.order, cell: ({ order_id }) => <OrderLink order={order_id} /> },
              ...(mayRevoke
                ? [
                    {
                      title: common.actions,
                      isAction: true,
                      cell: (code: CreditCode) => isOpen(code) && <Revoke customer={customer.id} code={code} />
                    }
                  ]
                : [])
            ]}
          />
        )}
      </QueryView>
    </Section>
  )
}

function CodeStatus({ code: { status, ended_by, problem } }: { code: CreditCode }) {
  const texts = useCodesTexts()
  const why = problem ?? (ended_by && (texts.endedBy[ended_by] ?? ended_by))
  return (
    <Stack gap={2}>
      <StatusBadge status={status} names={texts.statuses} />
      {why && (
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {why}
        </Text>
      )}
    </Stack>
  )
}

function TakesOff({ code: { amount, used_amount, currency } }: { code: CreditCode }) {
  const texts = useCodesTexts()
  const { money } = useFormats()
  return (
    <>
      {money(amount, currency)}
      {used_amount !== null && (
        <Text size="xs" c="dimmed">
          {texts.used(money(used_amount, currency))}
        </Text>
      )}
    </>
  )
}

function OrderLink({ order }: { order: string | null }) {
  const { id } = useKnownStore()
  if (order === null) return '–'
  return (
    <Anchor component={Link} to={`/stores/${id}/orders/${order}`} size="sm">
      {order}
    </Anchor>
  )
}

function Revoke({ customer, code: { id, code } }: { customer: string; code: CreditCode }) {
  const { id: store } = useKnownStore()
  const { revoke: texts } = useCodesTexts()
  const name = code ?? id
  return (
    <ConfirmButton
      label={texts.label}
      aria-label={`${texts.label}: ${name}`}
      title={texts.title(name)}
      text={texts.text}
      isHarmful
      change={() => revokeCode(store, customer, id)}
      done={texts.done}
    />
  )
}

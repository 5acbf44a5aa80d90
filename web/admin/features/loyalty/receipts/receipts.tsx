import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../../shared/api/search-filters.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../../shared/ui/named-cell.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { CustomerLink } from '../lists/customer-link.tsx'
import { ListFilters } from '../lists/list-filters.tsx'
import { type Receipt, receiptsQuery } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { DecideReceipt } from './decide-receipt.tsx'
import { useReceiptTexts } from './texts.ts'

/** The receipts that customers have sent. */
export function Receipts() {
  const { id, timezone, currency } = useKnownStore()
  const [filters, change] = useSearchFilters(['customer', 'status'])
  const receipts = useQuery(receiptsQuery(id, { ...filters, before: useBefore() }))
  const texts = useReceiptTexts()
  const loyalty = useLoyaltyTexts()
  const { common } = useTexts()
  const { money, fullDate } = useFormats()
  const mayDecide = useMay('support')
  const isFiltered = filters.customer !== '' || filters.status !== ''
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.about}
      </Text>
      <ListFilters name="status" label={loyalty.status} words={texts.statuses} filters={filters} change={change} />
      <QueryView query={receipts} height={240}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState title={isFiltered ? texts.noneMatches : texts.none} text={isFiltered ? '' : texts.noneText} />
          ) : (
            <>
              <PlainTable
                label={loyalty.part.receipts}
                rows={data}
                keyOf={(receipt) => String(receipt.id)}
                empty=""
                columns={[
                  {
                    title: texts.shop,
                    cell: ({ retailer, rule_name }) => <NamedCell name={retailer} about={rule_name} />
                  },
                  { title: texts.entered, isNumber: true, cell: ({ amount }) => money(Number(amount), currency) },
                  { title: texts.purchased, cell: ({ purchased_on }) => fullDate(purchased_on) },
                  {
                    title: loyalty.customer,
                    cell: (one) => <CustomerLink customer={one.customer_id} platform={one.platform_customer_id} />
                  },
                  { title: texts.sent, cell: (one) => <Instant at={one.created_at} zone={timezone} /> },
                  { title: loyalty.status, cell: (receipt) => <ReceiptStatus receipt={receipt} /> },
                  ...(mayDecide
                    ? [
                        {
                          title: common.actions,
                          isAction: true,
                          cell: (receipt: Receipt) => (
                            <DialogButton
                              label={texts.look}
                              aria-label={`${texts.look}: ${receipt.id}`}
                              title={texts.title(receipt.id)}
                              size="lg"
                            >
                              {(close) => <DecideReceipt receipt={receipt} onClose={close} />}
                            </DialogButton>
                          )
                        }
                      ]
                    : [])
                ]}
              />
              <OlderLink next={next} />
            </>
          )
        }
      </QueryView>
    </Stack>
  )
}

function ReceiptStatus({ receipt: { status, points, reason, decided_by } }: { receipt: Receipt }) {
  const texts = useReceiptTexts()
  const { count } = useFormats()
  const more = [
    points !== null && status === 'approved' && texts.points(count(points)),
    decided_by === 'rule' && texts.byRule,
    reason
  ].filter(Boolean)
  return (
    <Stack gap={2}>
      <StatusBadge status={status} names={texts.statuses} />
      {more.length > 0 && (
        <Text size="xs" c="dimmed" lineClamp={3} className="wrap-anywhere">
          {more.join(', ')}
        </Text>
      )}
    </Stack>
  )
}

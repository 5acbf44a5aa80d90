import { Box, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../../shared/api/search-filters.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../../shared/ui/lists/older-link.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { NamedCell } from '../../../shared/ui/named-cell.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type Coupon, couponsQuery, endCoupon } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { CustomerLink } from './customer-link.tsx'
import { ListFilters } from './list-filters.tsx'
import { useListTexts } from './texts.ts'

/** The discount codes of customers. */
export function Coupons() {
  const { id, timezone } = useKnownStore()
  const [filters, change] = useSearchFilters(['customer', 'type'])
  const coupons = useQuery(couponsQuery(id, { ...filters, before: useBefore() }))
  const texts = useListTexts()
  const loyalty = useLoyaltyTexts()
  const { common } = useTexts()
  const mayEnd = useMay('support')
  const isFiltered = filters.customer !== '' || filters.type !== ''
  const { types } = texts.coupons
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.coupons.about}
      </Text>
      <ListFilters name="type" label={loyalty.type} words={types} filters={filters} change={change} />
      <QueryView query={coupons} height={240}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState
              title={isFiltered ? texts.noneMatches : texts.coupons.none}
              text={isFiltered ? '' : texts.coupons.noneText}
            />
          ) : (
            <>
              <PlainTable
                label={loyalty.part.coupons}
                rows={data}
                keyOf={(coupon) => String(coupon.id)}
                empty=""
                columns={[
                  {
                    title: texts.code,
                    cell: ({ code }) => (
                      <Box miw={'max-content'} className="no-wrap">
                        <CopyId value={code} />
                      </Box>
                    )
                  },
                  { title: texts.takesOff, cell: (coupon) => <TakesOff coupon={coupon} /> },
                  {
                    title: texts.coupons.comesFrom,
                    cell: (coupon) => <NamedCell name={coupon.name} about={sourceOf(coupon)} />
                  },
                  {
                    title: texts.customer,
                    cell: (coupon) => (
                      <CustomerLink customer={coupon.customer_id} platform={coupon.platform_customer_id} />
                    )
                  },
                  {
                    title: loyalty.expires,
                    cell: ({ expires_at }) =>
                      expires_at === null ? loyalty.never : <Instant at={expires_at} zone={timezone} dayOnly />
                  },
                  { title: loyalty.status, cell: (coupon) => <CouponStatus coupon={coupon} /> },
                  ...(mayEnd
                    ? [{ title: common.actions, isAction: true, cell: (coupon: Coupon) => <End coupon={coupon} /> }]
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

  function sourceOf({ rule_id, template_id }: Coupon): string {
    if (rule_id !== null) return texts.coupons.rule
    return template_id === null ? texts.coupons.tier : texts.coupons.template
  }
}

function TakesOff({ coupon: { type, percentage, amount } }: { coupon: Coupon }) {
  const { currency } = useKnownStore()
  const { coupons } = useListTexts()
  const { money, percent } = useFormats()
  const off =
    amount !== null
      ? money(Number(amount), currency)
      : type.startsWith('amount') && percentage
        ? percent(Number(percentage))
        : ''
  return <NamedCell name={off || coupons.types[type] || type} about={off ? (coupons.types[type] ?? '') : ''} />
}

function CouponStatus({ coupon: { status, ended_by, problem } }: { coupon: Coupon }) {
  const { coupons } = useListTexts()
  return (
    <Stack gap={2}>
      <StatusBadge status={status} names={coupons.statuses} />
      {(problem ?? ended_by) && (
        <Text size="xs" c="dimmed">
          {problem ?? coupons.endedBy[ended_by!]}
        </Text>
      )}
    </Stack>
  )
}

function End({ coupon }: { coupon: Coupon }) {
  const { id } = useKnownStore()
  const { coupons } = useListTexts()
  if (coupon.status === 'ended') return null
  return (
    <ConfirmButton
      label={coupons.end}
      aria-label={`${coupons.end}: ${coupon.code}`}
      title={coupons.endTitle(coupon.code)}
      text={coupons.endText}
      isHarmful
      change={() => endCoupon(id, coupon.id)}
      done={coupons.ended}
    />
  )
}

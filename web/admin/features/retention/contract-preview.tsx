import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { FindField } from '../../shared/ui/lists/find-field.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../shared/ui/status-badge.tsx'
import { useDescribedOffer } from './offers/describe-offer.ts'
import { previewQuery } from './queries.ts'
import { useRetentionTexts } from './texts.ts'

/** What each offer would do to one contract. */
export function ContractPreview() {
  const { id, timezone, currency: storeCurrency } = useKnownStore()
  const [{ contract }, change] = useSearchFilters(['contract'])
  const preview = useQuery(previewQuery(id, contract))
  const texts = useRetentionTexts()
  const { subscriptionStatuses } = useTexts()
  const { money } = useFormats()
  const { gives } = useDescribedOffer(storeCurrency)
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.previewAbout}
      </Text>
      <search>
        <FindField
          label={texts.contract}
          description={texts.contractHelp}
          findLabel={texts.look}
          maxLength={100}
          value={contract}
          onFind={(found) => change({ contract: found })}
        />
      </search>
      {contract === '' ? (
        <EmptyState title={texts.noPreview} text={texts.noPreviewText} />
      ) : (
        <QueryView query={preview} height={240}>
          {({ price, currency, status, offers }) => (
            <Stack gap="xs">
              <Text fw={500}>{texts.pays(money(price, currency), subscriptionStatuses[status] ?? status)}</Text>
              <PlainTable
                label={texts.part.preview}
                rows={offers}
                keyOf={({ offer }) => String(offer.id)}
                empty={texts.none}
                columns={[
                  {
                    title: texts.offer,
                    cell: ({ offer }) => (
                      <Stack gap={0} miw={160}>
                        <Text size="sm" fw={500} className="wrap-anywhere" lineClamp={3}>
                          {offer.name}
                        </Text>
                        <Text size="sm" c="dimmed">
                          {gives(offer)}
                        </Text>
                      </Stack>
                    )
                  },
                  {
                    title: texts.mayAccept,
                    cell: ({ may_accept, why_not, may_accept_with_key, shown_for }) =>
                      may_accept ? (
                        <Stack gap={2}>
                          <StatusBadge status="active" names={{ active: texts.yes }} />
                          {shown_for.length === 0 && texts.notShown}
                        </Stack>
                      ) : (
                        <Stack gap={0} miw={160}>
                          <span>{why_not}</span>
                          {may_accept_with_key && (
                            <Text size="xs" c="dimmed">
                              {texts.onlyPrograms}
                            </Text>
                          )}
                        </Stack>
                      )
                  },
                  {
                    title: texts.priceWithOffer,
                    isNumber: true,
                    cell: ({ preview: after }) =>
                      after === null ? (
                        '–'
                      ) : (
                        <>
                          {money(after.price_with_offer, currency)}
                          {after.credit_amount !== null && (
                            <Text size="xs" c="dimmed">
                              {texts.creditAdded(money(after.credit_amount, currency))}
                            </Text>
                          )}
                        </>
                      )
                  },
                  ...(['next_billing_date', 'following_billing_date', 'full_price_date'] as const).map((date, i) => ({
                    title: [texts.nextBilling, texts.following, texts.fullPrice][i]!,
                    cell: (row: (typeof offers)[number]) => (
                      <Instant at={row.preview?.[date] ?? null} zone={timezone} dayOnly />
                    )
                  }))
                ]}
              />
            </Stack>
          )}
        </QueryView>
      )}
    </Stack>
  )
}

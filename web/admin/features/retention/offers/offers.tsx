import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { May, useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { EmptyState } from '../../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { changeOffer, type Offer, offersQuery, reasonsQuery } from '../queries.ts'
import { useRetentionTexts } from '../texts.ts'
import { useDescribedOffer } from './describe-offer.ts'
import { OfferForm } from './offer-form.tsx'

/** What is offered to people who cancel. */
export function Offers() {
  const { id, currency } = useKnownStore()
  const offers = useQuery(offersQuery(id))
  const titleOf = useReasonTitles()
  const texts = useRetentionTexts()
  const { common } = useTexts()
  const mayManage = useMay('manage')
  const { gives, toWhom } = useDescribedOffer(currency)
  const create = (
    <May permission="manage">
      <DialogButton label={texts.create} title={texts.create} size="lg" variant="filled">
        {(close) => <OfferForm offer={null} onClose={close} />}
      </DialogButton>
    </May>
  )
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.about}
      </Text>
      <QueryView query={offers} height={240}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText}>
              {create}
            </EmptyState>
          ) : (
            <>
              <Group justify="flex-end">{create}</Group>
              <PlainTable
                label={texts.part['']}
                rows={all}
                keyOf={(offer) => String(offer.id)}
                empty=""
                columns={[
                  {
                    title: texts.name,
                    cell: (offer) => (
                      <Text size="sm" fw={500} lineClamp={3} miw={120} className="wrap-anywhere">
                        {offer.name}
                      </Text>
                    )
                  },
                  { title: texts.gives, cell: gives },
                  { title: texts.forReasons, cell: (offer) => offer.reasons.map(titleOf).join('; ') },
                  { title: texts.toWhom, cell: toWhom },
                  {
                    title: texts.status,
                    cell: ({ enabled }) => <StatusBadge status={enabled ? 'active' : 'off'} names={texts.statuses} />
                  },
                  ...(mayManage
                    ? [
                        {
                          title: common.actions,
                          isAction: true,
                          cell: (offer: Offer) => <OfferActions offer={offer} />
                        }
                      ]
                    : [])
                ]}
              />
            </>
          )
        }
      </QueryView>
    </Stack>
  )
}

function OfferActions({ offer }: { offer: Offer }) {
  const { id } = useKnownStore()
  const titleOf = useReasonTitles()
  const texts = useRetentionTexts()
  const { common } = useTexts()
  const { name, enabled } = offer
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <DialogButton label={common.edit} aria-label={`${common.edit}: ${name.slice(0, 100)}`} title={name} size="lg">
        {(close) => <OfferForm offer={offer} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={enabled ? texts.turnOff : texts.turnOn}
        aria-label={`${enabled ? texts.turnOff : texts.turnOn}: ${name.slice(0, 100)}`}
        title={enabled ? texts.turnOffTitle(name) : texts.turnOnTitle(name)}
        text={enabled ? texts.turnOffText : texts.turnOnText(offer.reasons.map(titleOf).join('; '))}
        isHarmful={enabled}
        change={() => changeOffer(id, offer.id, { enabled: !enabled })}
        done={enabled ? texts.turnedOff(name) : texts.turnedOn(name)}
      />
    </Group>
  )
}

/** The title of a reason, as customers read it. */
export function useReasonTitles(): (alias: string) => string {
  const { id } = useKnownStore()
  const { data: reasons = [] } = useQuery(reasonsQuery(id))
  return (alias) => reasons.find((one) => one.alias === alias)?.title ?? alias
}

import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { type Action, type Entered, previewQuery } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'

/** What an action would do to a subscription as it is now, by the service. */
export function ActionPreview({
  subscription,
  action,
  entered
}: {
  subscription: string
  action: Action
  entered?: Entered
}) {
  const { id: store, timezone } = useKnownStore()
  const { preview: texts } = useSubscriptionsTexts()
  const { count } = useFormats()
  const { data } = useQuery(previewQuery(store, subscription, action, entered))
  if (!data) return null
  const { refusal, after } = data
  if (after === null) {
    return (
      <Text size="sm" className="bad-news wrap-anywhere">
        {refusal}
      </Text>
    )
  }
  const {
    next_billing_date,
    next_cycle,
    resumes_at,
    is_unpaid_cycle,
    unpaid_cycle,
    dropped_try_date,
    reactivatable_until
  } = after
  return (
    <div aria-live="polite">
      {next_billing_date !== null && next_cycle !== null && (
        <Text size="sm" fw={500}>
          {is_unpaid_cycle ? texts.unpaidNext(count(next_cycle)) : texts.next(count(next_cycle))}:{' '}
          <Instant at={next_billing_date} zone={timezone} />
        </Text>
      )}
      {is_unpaid_cycle && action === 'resume' && <Text size="sm">{texts.otherDate(count(next_cycle ?? 0))}</Text>}
      {action === 'pause' && (
        <Text size="sm" fw={500}>
          {resumes_at === null ? (
            texts.noEnd
          ) : (
            <>
              {texts.resumes}: <Instant at={resumes_at} zone={timezone} />
            </>
          )}
        </Text>
      )}
      {dropped_try_date !== null && (
        <Text size="sm" fw={500}>
          {texts.dropped}: <Instant at={dropped_try_date} zone={timezone} />
        </Text>
      )}
      {unpaid_cycle !== null && action === 'pause' && <Text size="sm">{texts.unpaidLater(count(unpaid_cycle))}</Text>}
      {reactivatable_until !== null && (
        <Text size="sm" fw={500}>
          {texts.reactivatable}: <Instant at={reactivatable_until} zone={timezone} />
        </Text>
      )}
    </div>
  )
}

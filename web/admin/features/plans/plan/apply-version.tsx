import { Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, bodyOf } from '../../../shared/api/client.ts'
import { ApiError } from '../../../shared/api/errors.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useChange } from '../../../shared/api/use-change.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { Failure } from '../../../shared/ui/failure.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import type { PlanWithVersions, VersionPreview } from '../queries.ts'
import { usePlansTexts } from '../texts.ts'
import { usePriceOfCycle } from './cycle.ts'
import { usePlanTexts } from './texts.ts'
import type { VersionTarget, VersionTerms } from './version-terms.ts'

type Props = {
  plan: PlanWithVersions
  target: VersionTarget
  preview: VersionPreview
  terms: VersionTerms
  onBack: () => void
  onClose: () => void
}

/** What a new version would do, and the button that does it. */
export function ApplyVersion({ plan, target, preview, terms, onBack, onClose }: Props) {
  const { id } = useKnownStore()
  const texts = usePlanTexts()
  const { count } = useFormats()
  const priceOfCycle = usePriceOfCycle()
  const price = priceOfCycle(preview, preview.currency)
  const isForRunning = target !== 'new'
  const { start, isPending, error } = useChange({
    change: () =>
      bodyOf(
        api.POST('/stores/{store}/plans/{plan}/versions', {
          params: { path: { store: id, plan: plan.id } },
          body: { ...terms, apply_to: target, ...(isForRunning && { preview: preview.preview }) }
        })
      ),
    done: ({ version }) => texts.applied(version),
    inForm: true,
    onDone: onClose
  })
  const { changed } = preview.totals
  return (
    <Stack>
      {isForRunning ? (
        <>
          <Text fw={600}>{texts.affected(count(changed))}</Text>
          {changed > 0 && <Text size="sm">{texts.affectedText(price)}</Text>}
          <FactList
            facts={Object.entries(texts.totals).map(([name, label]) => [
              label,
              count(preview.totals[name as keyof typeof texts.totals])
            ])}
          />
          <Affected plan={plan} target={target} terms={terms} first={preview} />
        </>
      ) : (
        <Text size="sm">{texts.newOnly(price)}</Text>
      )}
      {error && isStale(error) && <Text c="var(--mantine-color-error)">{texts.stale}</Text>}
      {error && <Failure error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          {texts.back}
        </Button>
        <Button color={isForRunning && changed > 0 ? 'red' : undefined} loading={isPending} onClick={() => start()}>
          {isForRunning && changed > 0 ? texts.apply(count(changed)) : texts.putOnSale}
        </Button>
      </Group>
    </Stack>
  )
}

const isStale = (error: Error) =>
  error instanceof ApiError && error.status === 409 && error.details.some(({ field }) => field === 'preview')

const PAGE_SIZE = 20

type AffectedProps = {
  plan: PlanWithVersions
  target: 'list_price' | 'all'
  terms: VersionTerms
  first: VersionPreview
}
type Previewed = VersionPreview['data'][number]

/** The subscriptions, part by part. */
function Affected({ plan, target, terms, first }: AffectedProps) {
  const { id } = useKnownStore()
  const texts = usePlanTexts()
  const { money } = useFormats()
  const { every } = usePlansTexts()
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['version-preview', id, plan.id, terms, target],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...terms, apply_to: target, limit: PAGE_SIZE, after: pageParam }
      const params = { path: { store: id, plan: plan.id }, query }
      return bodyOf(api.GET('/stores/{store}/plans/{plan}/versions/preview', { params, signal }))
    },
    getNextPageParam: ({ next }) => next ?? undefined,
    initialData: { pages: [first], pageParams: [undefined] }
  })
  const termsOf = ({ price, interval, interval_count }: Previewed['from']) =>
    price === null ? texts.unknownPrice : `${money(price, plan.currency)} ${every(interval_count, interval)}`
  return (
    <>
      <PlainTable
        label={texts.people}
        rows={data.pages.flatMap((page) => page.data)}
        keyOf={(row) => row.subscription_id}
        empty={texts.nobody}
        columns={[
          { title: texts.email, cell: (row) => row.email ?? row.customer_id },
          { title: texts.outcome, cell: (row) => texts.outcomes[row.outcome] },
          { title: texts.now, cell: (row) => termsOf(row.from) },
          { title: texts.after, cell: (row) => termsOf(row.to) }
        ]}
      />
      {hasNextPage && (
        <Group>
          <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {texts.more}
          </Button>
        </Group>
      )}
    </>
  )
}

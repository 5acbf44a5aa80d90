import { Button, Group, Stack, Text } from '@mantine/core'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useChange } from '../../../shared/api/use-change.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useMay } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { type Column, PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type Integration, pullBalances, removeIntegration } from './queries.ts'
import { useRewardsTexts } from './texts.ts'

type Props = { integrations: Integration[]; onEdit: (integration: Integration) => void }

export function IntegrationsTable({ integrations, onEdit }: Props) {
  const texts = useRewardsTexts()
  const { count } = useFormats()
  const mayChange = useMay('develop')
  const { columns } = texts
  const shown: Column<Integration>[] = [
    { title: columns.key, cell: ({ key }) => key },
    { title: columns.field, cell: ({ key }) => <code>{key}_points</code> },
    {
      title: columns.state,
      cell: ({ active, shown: isShown }) => (
        <Stack gap={0}>
          <StatusBadge
            status={active ? 'active' : 'inactive'}
            names={{ active: texts.active, inactive: texts.inactive }}
          />
          {!isShown && (
            <Text size="xs" c="dimmed">
              {texts.notShown}
            </Text>
          )}
        </Stack>
      )
    },
    { title: columns.balances, isNumber: true, cell: ({ balances }) => count(balances) },
    { title: columns.pull, cell: ({ pull }) => (pull ? <Pull pull={pull} /> : texts.pushedOnly) }
  ]
  const actions: Column<Integration> = {
    title: columns.actions,
    cell: (integration) => <Actions integration={integration} onEdit={() => onEdit(integration)} />
  }
  return (
    <PlainTable
      label={texts.list}
      rows={integrations}
      keyOf={({ key }) => key}
      empty=""
      columns={mayChange ? [...shown, actions] : shown}
    />
  )
}

function Pull({ pull }: { pull: NonNullable<Integration['pull']> }) {
  const { timezone } = useKnownStore()
  const texts = useRewardsTexts()
  const { count } = useFormats()
  return (
    <Stack gap={2} miw={200} maw={360}>
      <Text size="sm" className="wrap-anywhere">
        {pull.url}, {texts.every(count(pull.every_minutes))}
      </Text>
      <StatusBadge status={pull.status} names={texts.statuses} />
      {pull.last_error && (
        <Text size="xs" className="wrap-anywhere">
          {pull.last_error}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {texts.counts(count(pull.received), count(pull.stored), count(pull.unknown))}
      </Text>
      {pull.failing_since && (
        <Text size="xs" c="dimmed">
          {texts.failingSince} <Instant at={pull.failing_since} zone={timezone} />
        </Text>
      )}
      {pull.finished_at && (
        <Text size="xs" c="dimmed">
          {texts.finishedAt} <Instant at={pull.finished_at} zone={timezone} />
        </Text>
      )}
      {pull.next_at && (
        <Text size="xs" c="dimmed">
          {texts.nextAt} <Instant at={pull.next_at} zone={timezone} />
        </Text>
      )}
    </Stack>
  )
}

function Actions({ integration: { key, pull, balances }, onEdit }: { integration: Integration; onEdit: () => void }) {
  const { id } = useKnownStore()
  const texts = useRewardsTexts()
  const { common } = useTexts()
  const { count } = useFormats()
  const pullNow = useChange({ change: () => pullBalances(id, key), done: texts.pulling })
  return (
    <Group gap="xs" wrap="nowrap">
      {pull && (
        <Button variant="default" size="xs" loading={pullNow.isPending} onClick={() => pullNow.start()}>
          {texts.pullNow}
        </Button>
      )}
      <Button variant="default" size="xs" onClick={onEdit}>
        {common.edit}
      </Button>
      <ConfirmButton
        label={texts.remove}
        title={texts.removeTitle(key)}
        text={texts.removeText(key, count(balances))}
        isHarmful
        change={() => removeIntegration(id, key)}
        done={texts.removed}
      />
    </Group>
  )
}

import { Button, Group, Stack, Text } from '@mantine/core'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { useMay } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { type Column, PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { StatusBadge } from '../../../shared/ui/status-badge.tsx'
import { type ApiKey, revokeKey, stateOf } from './queries.ts'
import { SCOPES } from './scopes.ts'
import { useKeysTexts } from './texts.ts'

/** Keys without their texts; with what can be done to those that still work. */
export function KeysTable({ label, keys, onRoll }: { label: string; keys: ApiKey[]; onRoll?: (key: ApiKey) => void }) {
  const { timezone } = useKnownStore()
  const texts = useKeysTexts()
  const mayChange = useMay('develop') && onRoll !== undefined
  const { columns } = texts
  const shown: Column<ApiKey>[] = [
    {
      title: columns.name,
      cell: ({ name, id }) => (
        <Stack gap={0} miw={150} maw={280}>
          <Text size="sm" fw={500} lineClamp={2} className="wrap-anywhere">
            {name}
          </Text>
          <CopyId value={id} />
        </Stack>
      )
    },
    { title: columns.key, cell: ({ mode, hint }) => <code>{`svc_${mode}_…${hint}`}</code> },
    { title: columns.scopes, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    {
      title: columns.lastUsed,
      cell: ({ last_used_at }) => (last_used_at ? <Instant at={last_used_at} zone={timezone} /> : texts.never)
    },
    { title: columns.created, cell: ({ created_at }) => <Instant at={created_at} zone={timezone} dayOnly /> },
    { title: columns.state, cell: (key) => <State apiKey={key} /> }
  ]
  const actions: Column<ApiKey> = {
    title: columns.actions,
    cell: (key) => (
      <Group gap="xs" wrap="nowrap">
        <Button variant="default" size="xs" onClick={() => onRoll?.(key)} aria-label={`${texts.roll}: ${key.name}`}>
          {texts.roll}
        </Button>
        <RevokeKey apiKey={key} />
      </Group>
    )
  }
  return (
    <PlainTable
      label={label}
      rows={keys}
      keyOf={({ id }) => id}
      empty=""
      columns={mayChange ? [...shown, actions] : shown}
    />
  )
}

function Scopes({ scopes }: { scopes: string[] }) {
  const texts = useKeysTexts()
  if (scopes.length === SCOPES.length) return texts.all
  return (
    <Text size="xs" miw={150} maw={260}>
      {scopes.join(', ')}
    </Text>
  )
}

function State({ apiKey }: { apiKey: ApiKey }) {
  const { timezone } = useKnownStore()
  const texts = useKeysTexts()
  const state = stateOf(apiKey)
  const at = state === 'revoked' ? apiKey.revoked_at : apiKey.expires_at
  return (
    <Stack gap={0}>
      <StatusBadge status={state} names={texts.states} />
      {at && (
        <Text size="xs" c="dimmed">
          {state === 'ending' ? texts.until : texts.since} <Instant at={at} zone={timezone} />
        </Text>
      )}
    </Stack>
  )
}

function RevokeKey({ apiKey: { id: key, name, last_used_at } }: { apiKey: ApiKey }) {
  const { id, timezone } = useKnownStore()
  const texts = useKeysTexts()
  return (
    <ConfirmButton
      label={texts.revoke}
      title={texts.revokeTitle(name)}
      text={
        <Stack gap="xs">
          <Text size="sm">{texts.revokeText}</Text>
          <Text size="sm">
            {texts.revokeUsed}: {last_used_at ? <Instant at={last_used_at} zone={timezone} /> : texts.never}
          </Text>
        </Stack>
      }
      isHarmful
      change={() => revokeKey(id, key)}
      done={texts.revoked}
    />
  )
}

import { Anchor, List, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import type { Advanced } from './queries.ts'
import { useSandboxTexts } from './texts.ts'

/** What a move of the clock brought with it: what does not work, and what the people of the store were told. */
export function WhatHappened({ moved }: { moved: Advanced }) {
  const { id, timezone } = useKnownStore()
  const texts = useSandboxTexts()
  const { time, count } = useFormats()
  const { now, settled, problems, charges, undelivered, alerts } = moved
  const isQuiet = settled && problems.length === 0 && undelivered === 0 && alerts.length === 0
  return (
    <Stack gap="sm" mt="sm">
      <Text size="sm" fw={600}>
        {texts.movedTo(time(now, timezone))}
      </Text>
      {charges.succeeded + charges.failed + charges.pending > 0 && (
        <Text size="sm">
          {texts.charges(count(charges.succeeded), count(charges.failed))}{' '}
          {charges.pending > 0 && (
            <Anchor component={Link} to={`/stores/${id}/billing?status=pending`} size="sm">
              {texts.pendingCharges(count(charges.pending))}
            </Anchor>
          )}{' '}
          {charges.failed > 0 && (
            <Anchor component={Link} to={`/stores/${id}/billing?status=failed`} size="sm">
              {texts.toFailed}
            </Anchor>
          )}
        </Text>
      )}
      {isQuiet && <Text size="sm">{texts.quiet}</Text>}
      {!settled && <Text size="sm">{texts.unsettled}</Text>}
      {undelivered > 0 && <Text size="sm">{texts.undelivered(count(undelivered))}</Text>}
      {problems.length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            {texts.problems}
          </Text>
          <List size="sm">
            {problems.map(({ kind, subject, message, next }) => (
              <List.Item key={`${kind} ${subject}`} className="wrap-anywhere">
                {message} {next}
              </List.Item>
            ))}
          </List>
        </div>
      )}
      {alerts.length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            {texts.alerts}
          </Text>
          <List size="sm">
            {alerts.map(({ id: alert, subject, created_at }) => (
              <List.Item key={alert} className="wrap-anywhere">
                {subject} · <Instant at={created_at} zone={timezone} />
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  )
}

import { Anchor, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { components } from '../../shared/api/schema.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { metricsQuery, statusQuery } from './queries.ts'
import { remedyOf } from './remedy.ts'
import { useOverviewTexts } from './texts.ts'

type Problem = components['schemas']['Problem']

/** What does not work, and what to do about it. */
export function Problems() {
  const { id, timezone, currency } = useKnownStore()
  const { money, count } = useFormats()
  const status = useQuery(statusQuery(id))
  const metrics = useQuery(metricsQuery(id, '30d', ''))
  const texts = useOverviewTexts()
  const atRisk = metrics.data?.billing.at_risk_amount ?? 0
  const pending = metrics.data?.billing.pending ?? 0
  return (
    <Section title={texts.attention}>
      <QueryView query={status}>
        {({ problems, notes, checked_at }) => (
          <>
            {problems.length + notes.length === 0 && atRisk === 0 && pending === 0 && (
              <Text size="sm">
                <b>{texts.allWell}.</b> {texts.allWellText}
              </Text>
            )}
            {(problems.length + notes.length > 0 || atRisk > 0 || pending > 0) && (
              <List listStyleType="none" spacing="md">
                {atRisk > 0 && (
                  <List.Item>
                    <Text fw={500}>{texts.unpaid(money(atRisk, currency))}</Text>
                    <Text size="sm">{texts.unpaidText}</Text>
                    <Anchor component={Link} to={`/stores/${id}/billing?status=failed`} size="sm">
                      {texts.toRemedy}
                    </Anchor>
                  </List.Item>
                )}
                {pending > 0 && (
                  <List.Item>
                    <Text fw={500}>{texts.pending(count(pending))}</Text>
                    <Text size="sm">{texts.pendingText}</Text>
                    <Anchor component={Link} to={`/stores/${id}/billing?status=pending`} size="sm">
                      {texts.toRemedy}
                    </Anchor>
                  </List.Item>
                )}
                {[...problems, ...notes].map((problem) => (
                  <Entry
                    key={`${problem.kind} ${problem.store} ${problem.subject}`}
                    problem={problem}
                    zone={timezone}
                  />
                ))}
              </List>
            )}
            <Text size="xs" c="dimmed">
              {texts.checkedAt} <Instant at={checked_at} zone={timezone} />
            </Text>
          </>
        )}
      </QueryView>
    </Section>
  )
}

function Entry({ problem, zone }: { problem: Problem; zone: string }) {
  const { id } = useKnownStore()
  const remedy = remedyOf(problem)
  const texts = useOverviewTexts()
  return (
    <List.Item>
      <Stack gap={2}>
        <Text fw={500} className="wrap-anywhere">
          {problem.message}
        </Text>
        <Text size="sm" className="wrap-anywhere">
          {problem.next}
        </Text>
        {remedy !== null && (
          <Anchor component={Link} to={`/stores/${id}/${remedy}`} size="sm">
            {texts.toRemedy}
          </Anchor>
        )}
        {problem.since && (
          <Text size="xs" c="dimmed">
            {texts.since} <Instant at={problem.since} zone={zone} />
          </Text>
        )}
      </Stack>
    </List.Item>
  )
}

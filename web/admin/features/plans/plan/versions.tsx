import { Badge, Group, Text } from '@mantine/core'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { Instant } from '../../../shared/format/instant.tsx'
import { May } from '../../../shared/session/may.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { PlainTable } from '../../../shared/ui/lists/plain-table.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import type { PlanWithVersions } from '../queries.ts'
import { usePriceOfCycle } from './cycle.ts'
import { NewVersion } from './new-version.tsx'
import { usePlanTexts } from './texts.ts'

/** The prices that a plan has and had. */
export function Versions({ plan }: { plan: PlanWithVersions }) {
  const { timezone } = useKnownStore()
  const texts = usePlanTexts()
  const { money } = useFormats()
  const priceOfCycle = usePriceOfCycle()
  return (
    <Section
      title={texts.versions}
      aside={
        <May permission="manage">
          <DialogButton label={texts.newVersion} title={texts.newVersionTitle(plan.name)} size="lg">
            {(close) => <NewVersion plan={plan} onClose={close} />}
          </DialogButton>
        </May>
      }
    >
      <Text size="sm" c="dimmed">
        {texts.versionsText}
      </Text>
      <PlainTable
        label={texts.versions}
        rows={plan.versions}
        keyOf={({ version }) => String(version)}
        empty=""
        columns={[
          {
            title: texts.version,
            cell: ({ version }) => (
              <Group gap="xs" wrap="nowrap">
                {version}
                {version === plan.version && (
                  <Badge variant="outline" tt="none">
                    {texts.onSale}
                  </Badge>
                )}
              </Group>
            )
          },
          { title: texts.price, cell: (version) => priceOfCycle(version, plan.currency) },
          { title: texts.credit, isNumber: true, cell: ({ credit }) => money(credit, plan.currency) },
          { title: texts.for, cell: ({ apply_to }) => texts.targets[apply_to] },
          { title: texts.since, cell: ({ created_at }) => <Instant at={created_at} zone={timezone} /> }
        ]}
      />
    </Section>
  )
}

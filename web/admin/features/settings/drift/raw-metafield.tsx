import { Badge, Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'
import { CodeBlock } from '../../../shared/ui/code-block.tsx'
import type { ShopMetafield } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'
import { SyncButton } from './sync-button.tsx'

type Props = { metafield: ShopMetafield; isWaiting: boolean; action?: ReactNode }

/** What the platform has in a metafield, whether it is what it is to be, and the way to write it again. */
export function RawMetafield({ metafield, isWaiting, action }: Props) {
  const { raw } = useSettingsTexts()
  const [isOpen, { toggle }] = useDisclosure(false)
  const id = useId()
  const { key, wanted, found, in_step } = metafield
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <code className="wrap-anywhere">svc.{key}</code>
        <State isInStep={in_step} isWaiting={isWaiting} isThere={found !== null} />
        <UnstyledButton onClick={toggle} aria-expanded={isOpen} aria-controls={id} fz="sm" td="underline">
          {isOpen ? raw.hide : raw.show}
        </UnstyledButton>
        {action}
        {!in_step && <SyncButton of={key} />}
      </Group>
      {!in_step && !isOpen && <Text size="sm">{raw.differsText}</Text>}
      <Collapse expanded={isOpen} id={id}>
        <Stack gap="sm">
          <CodeBlock label={raw.found} text={shown(found) ?? raw.notThere} />
          {!in_step && <CodeBlock label={raw.wanted} text={shown(wanted) ?? raw.notThere} />}
        </Stack>
      </Collapse>
    </Stack>
  )
}

type StateProps = { isInStep: boolean; isWaiting: boolean; isThere: boolean }

function State({ isInStep, isWaiting, isThere }: StateProps) {
  const { raw } = useSettingsTexts()
  const [color, text] = isInStep
    ? ['teal', isThere ? raw.inStep : raw.notNeeded]
    : isWaiting
      ? ['yellow', raw.waiting]
      : ['red', raw.differs]
  return (
    <Badge variant="dot" color={color} tt="none" fw={500} miw="max-content">
      {text}
    </Badge>
  )
}

/** JSON with a line for each field; anything else as it is. */
function shown(value: string | null): string | null {
  if (value === null) return null
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

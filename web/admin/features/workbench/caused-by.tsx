import { Anchor, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { CopyId } from '../../shared/ui/copy-id.tsx'
import { useWorkbenchTexts } from './texts.ts'

/** The id of a request, and the way to the events that it caused. */
export function CausedBy({ id }: { id: string }) {
  const { id: store } = useKnownStore()
  const texts = useWorkbenchTexts()
  return (
    <Stack gap={0} miw={170} align="flex-start">
      <CopyId value={id} />
      <Anchor
        component={Link}
        to={`/stores/${store}/workbench?request=${id}`}
        size="xs"
        aria-label={texts.eventsOf(id)}
      >
        {texts.events}
      </Anchor>
    </Stack>
  )
}

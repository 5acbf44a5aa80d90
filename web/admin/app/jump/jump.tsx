import { Button, Kbd } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { SearchIcon } from '../../shared/ui/icons.tsx'
import { useJumpTexts } from './texts.ts'

const JumpDialog = lazy(async () => ({ default: (await import('./jump-dialog.tsx')).JumpDialog }))

const KEY_NAME = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** One box to go anywhere, which a key opens from every page. */
export function Jump() {
  const texts = useJumpTexts()
  const [isOpen, { open, close }] = useDisclosure()
  // In fields too: whoever types has both hands on the keyboard.
  useHotkeys([['mod+K', open]], [])
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={open}
        leftSection={<SearchIcon size={16} />}
        rightSection={
          <Kbd size="xs" visibleFrom="sm">
            {KEY_NAME}
          </Kbd>
        }
        aria-keyshortcuts="Control+K Meta+K"
      >
        {texts.open}
      </Button>
      {isOpen && (
        <Suspense>
          <JumpDialog onClose={close} />
        </Suspense>
      )}
    </>
  )
}

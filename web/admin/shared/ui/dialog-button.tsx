import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'

type Props = Omit<ButtonProps, 'children' | 'size'> & {
  label: string
  title: string
  /** Of the dialog. */
  size?: string
  /** What is in the dialog, made anew each time it is opened. */
  children: (close: () => void) => ReactNode
}

/** A button that opens a dialog. What is in it begins anew each time. */
export function DialogButton({ label, title, size = 'md', children, ...button }: Props) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" size="xs" {...button} onClick={open}>
        {label}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={close} size={size}>
        {children(close)}
      </Dialog>
    </>
  )
}

import { Dialog } from '../ui/dialog.tsx'
import { FormParts, type FormPartsProps } from './form-parts.tsx'

type Props = FormPartsProps & { title: string; size?: string; isOpen: boolean }

/** A form in a dialog. It stays open, with everything in it, until the change is made. */
export function FormDialog({ title, size = 'md', isOpen, onClose, ...form }: Props) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size={size}>
      <FormParts onClose={onClose} {...form} />
    </Dialog>
  )
}

import { publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'

export const importNotFound = (id: string) => new Refusal('not_found', `There is no import ${id.slice(0, 100)}`)

export const wrongImportStatus = (id: number, status: string) =>
  new Refusal('conflict', `Import ${publicId('imp', id)} is ${status}`)

export const fileMismatch = (id: number) =>
  new Refusal(
    'conflict',
    `Import ${publicId('imp', id)} was started with a different file; send that file again, or start a new import`
  )

export const badHeader = (message: string) => new Refusal('invalid_request', `The file's header ${message}`)

export const importAcceptsNoFile = (id: number) =>
  new Refusal('conflict', `Import ${publicId('imp', id)} reads the platform's contracts and accepts no file`)

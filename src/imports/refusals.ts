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

/** The file is the body of its request. */
const badFile = (message: string, problem: string) =>
  new Refusal('invalid_request', message, [{ field: 'body', code: 'invalid', message: problem }])

export const badHeader = (message: string) => badFile(`The file's header ${message}`, `has a header that ${message}`)

export const fileTooLarge = (megabytes: number) =>
  badFile(`The file is larger than ${megabytes} MiB; split it into several files`, `is larger than ${megabytes} MiB`)

export const importAcceptsNoFile = (id: number) =>
  new Refusal('conflict', `Import ${publicId('imp', id)} reads the platform's contracts and accepts no file`)

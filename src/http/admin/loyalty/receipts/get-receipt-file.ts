import { Type } from 'typebox'
import { Refusal } from '#kit/refusal'
import { CONTENT_TYPES, type ContentType, findReceipt, receiptNotFound } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import type { AdminDeps } from '../../deps.ts'
import { numberedParams, numberInPath } from '../../numbered.ts'
import { storeOf } from '../../store.ts'

const ENDINGS: Record<ContentType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'application/pdf': 'pdf'
}

/** GET /stores/{store}/loyalty/receipts/{receipt}/file */
export function getReceiptFileRoute(admin: Surface, { receiptFiles }: Pick<AdminDeps, 'receiptFiles'>): void {
  admin.get(
    '/stores/:store/loyalty/receipts/:receipt/file',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'getLoyaltyReceiptFile',
        summary: 'Download the file of a receipt',
        description:
          'The bytes that the customer has sent, as an attachment of the type that they are. 404 where the file is not kept any more. A stranger has made it: open it as you open what strangers mail.',
        params: numberedParams('receipt', 'a receipt'),
        produces: [...CONTENT_TYPES],
        response: {
          200: Type.String({ description: 'An image or a PDF', format: 'binary', examples: ['(binary)'] })
        }
      }
    },
    async (request, reply) => {
      const id = numberInPath(request.params.receipt, receiptNotFound)
      const receipt = await request.inStore((ctx) => findReceipt(ctx, id))
      if (!receipt) throw receiptNotFound(id)
      const { fileName, contentType, fileBytes } = receipt
      if (fileName === null) throw new Refusal('not_found', `The file of receipt ${id} is not kept any more`)
      const file = await receiptFiles.read(storeOf(request).storeId, fileName)
      if (!file) throw new Refusal('not_found', `The file of receipt ${id} is not where receipts are stored`)
      return (
        reply
          .type(contentType)
          // Nothing of it may run where the token of an operator is.
          .header('content-disposition', `attachment; filename="receipt-${id}.${ENDINGS[contentType]}"`)
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('x-content-type-options', 'nosniff')
          .header('content-length', fileBytes)
          .send(file as never)
      )
    }
  )
}

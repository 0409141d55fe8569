import { z } from 'zod'
import { MAX_CARD_BYTES } from '@/lib/contract/characters/card'
import { ApiError } from '@/lib/contract/errors'
import { admitMaker } from '@/lib/endpoints/characters/admit'
import { FRAME_BYTES, importCharacter, importUpload, type Upload } from '@/lib/endpoints/characters/card'
import type { RequestContext } from '@/lib/kernel/request-context'
import { json, readBytes } from '@/lib/pipeline/body'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'

const MAX_JSON_BYTES = 2_000_000
const parse = json(z.unknown(), { maxBytes: MAX_JSON_BYTES })

// Accepts JSON or PNG as the body, or as the part `file` of a form.
async function importCard(context: RequestContext, request: Request): Promise<Reply> {
  const caller = await admitMaker(context)
  const type = context.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json' && type !== 'image/png' && type !== 'multipart/form-data') {
    throw new ApiError(
      'INVALID_CONTENT_TYPE',
      'Send the card as application/json, image/png or multipart/form-data with a part "file".',
    )
  }
  const { accountId } = caller
  const { character, warnings } =
    type === 'application/json'
      ? await importCharacter(accountId, { json: await parse(context, request) }, context.signal)
      : await importUpload(accountId, await upload(context, request), context.signal)
  return uncachedJson({ object: 'character', data: character, warnings }, { status: 201 })
}

async function upload(context: RequestContext, request: Request): Promise<Upload> {
  const body = await readBytes(context, request, MAX_CARD_BYTES + FRAME_BYTES)
  return { body, contentType: context.headers.get('content-type') ?? '' }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: importCard })

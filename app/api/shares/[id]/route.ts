import { ApiError } from '@/lib/contract/errors'
import { SHARE_SECRET_HEADER } from '@/lib/contract/headers'
import type { RequestContext } from '@/lib/kernel/request-context'
import { uncachedJson } from '@/lib/pipeline/reply'
import { type Handle, route } from '@/lib/pipeline/route'
import { assertSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { limitAddress } from '@/lib/services/limits/limits'
import { deleteShare, readShare } from '@/lib/services/shares/shares'

const GONE = 'This link is over, or was taken back.'

// Sends the ciphertext behind a link. The key never comes here.
const read: Handle = async (context, _request, { id }) => {
  await admitPage(context)
  const found = await readShare(String(id))
  if (!found) throw new ApiError('NOT_FOUND', GONE)
  const headers = { 'Cache-Control': 'no-store', Expires: found.expiresAt.toUTCString() }
  return { body: found.body, contentType: 'application/octet-stream', headers }
}

// The secret of the browser that made the link is the proof.
const end: Handle = async (context, _request, { id }) => {
  await admitPage(context)
  const secret = context.headers.get(SHARE_SECRET_HEADER) ?? ''
  if (!(await deleteShare(String(id), secret))) throw new ApiError('NOT_FOUND', GONE)
  return uncachedJson({ success: true })
}

/** @throws ApiError UNAUTHORIZED, RATE_LIMIT_EXCEEDED. */
async function admitPage(context: RequestContext): Promise<void> {
  assertSameOrigin(context, 'Shared chats are read by the service’s own pages.')
  await limitAddress(context, 'default')
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: read, DELETE: end })

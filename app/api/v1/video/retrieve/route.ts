import { route } from '@/lib/api/route'
import { retrieving } from '@/lib/services/jobs/retrieve'
import { downloadOf } from '@/lib/video/download'
import { refuseVideo } from '@/lib/video/refusal'

/** A film, before any has been made. */
const USUAL_MS = 120_000

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: retrieving({ kind: 'video', usualMs: USUAL_MS, addressOf: downloadOf, refuse: refuseVideo }),
})

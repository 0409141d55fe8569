import { downloadOf, refuseVideo } from '@/lib/endpoints/video/download'
import { retrieving } from '@/lib/pipeline/job-routes'
import { route } from '@/lib/pipeline/route'

// Until jobs of a model have been measured.
const USUAL_MS = 120_000

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: retrieving({ kind: 'video', usualMs: USUAL_MS, addressOf: downloadOf, refuse: refuseVideo }),
})

import { retrieving } from '@/lib/pipeline/job-routes'
import { route } from '@/lib/pipeline/route'

// Until jobs of a model have been measured.
const USUAL_MS = 30_000
const FORMATS: Record<string, string> = { 'audio/mpeg': 'mp3', 'audio/wav': 'wav', 'audio/flac': 'flac' }

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: retrieving({
    kind: 'music',
    usualMs: USUAL_MS,
    headersOf: ({ media, runningMs }) => ({
      'x-service-audio-format': FORMATS[media?.type ?? ''] ?? '',
      'x-service-inference-time': String(runningMs),
    }),
  }),
})

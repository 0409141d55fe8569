import { route } from '@/lib/pipeline/route'
import { completing } from '@/lib/services/jobs/complete'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: completing('video') })

import { route } from '@/lib/pipeline/route'
import { completing } from '@/lib/pipeline/complete-job'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: completing('video') })

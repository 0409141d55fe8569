import { completing } from '@/lib/pipeline/complete-job'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: completing('music') })

import { completing } from '@/lib/pipeline/job-routes'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: completing('music') })

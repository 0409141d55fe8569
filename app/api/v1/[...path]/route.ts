import { endpoint } from '@/lib/pipeline/endpoint'
import { notFound } from '@/lib/pipeline/methods'

const missing = endpoint(notFound)

export {
  missing as DELETE,
  missing as GET,
  missing as HEAD,
  missing as PATCH,
  missing as POST,
  missing as PUT,
  missing as OPTIONS,
}

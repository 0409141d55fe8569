import { endpoint, notFound } from '@/lib/pipeline/route'

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

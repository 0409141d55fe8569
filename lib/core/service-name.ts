export const DEFAULT_SERVICE_NAME = 'Lagoon'

/** The name that people see. Pages are static, so the build writes it in; a start with another name builds anew. */
export const SERVICE_NAME = process.env.SERVICE_NAME || DEFAULT_SERVICE_NAME

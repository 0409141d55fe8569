export const DEFAULT_SERVICE_NAME = 'Lagoon'

/** The name that people see. The build writes it into what the browser loads; a start with another name builds anew. */
export const SERVICE_NAME = process.env.SERVICE_NAME || DEFAULT_SERVICE_NAME

export const DEFAULT_SERVICE_NAME = 'Lagoon'

/** Name of the service. The build writes it into the browser's files; a start with another name rebuilds them. */
export const SERVICE_NAME = process.env.SERVICE_NAME || DEFAULT_SERVICE_NAME

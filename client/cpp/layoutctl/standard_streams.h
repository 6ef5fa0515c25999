#ifndef LAYOUTD_CLIENT_CPP_LAYOUTCTL_STANDARD_STREAMS_H_
#define LAYOUTD_CLIENT_CPP_LAYOUTCTL_STANDARD_STREAMS_H_

namespace layoutd::client {

// Occupies those of the descriptors 0 to 2 that are closed, which a connection
// would else get and our output be written into. Reading the one or writing the
// others fails as before. Call it before anything opens a file.
void OccupyStandardStreams();

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_LAYOUTCTL_STANDARD_STREAMS_H_

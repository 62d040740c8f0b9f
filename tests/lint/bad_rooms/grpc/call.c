int nghttp2_session_del(void);
